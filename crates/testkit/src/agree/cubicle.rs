//! Small random systems of processes in Cubicle's language, and what is true of them with few processes: the same
//! structure is written as a text and searched state by state, so that nothing here knows how a text is read.

use std::collections::BTreeSet;

use buttress_system::Rng;

/// Values of an array or of the global variable: constructors of an enumeration, by number.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    sort: usize,
    start: usize,
}

/// Two sorts: Booleans, and three places.
const SORTS: [&[&str]; 2] = [&["False", "True"], &["Out", "Wait", "In"]];
const NAMES: [&str; 2] = ["bool", "place"];

/// An array at a parameter, or the global variable.
#[derive(Clone, Copy, Debug)]
enum Place {
    At(usize, usize),
    Global,
}

#[derive(Clone, Debug)]
struct Literal {
    place: Place,
    equal: bool,
    value: usize,
}

#[derive(Clone, Debug)]
struct Transition {
    parameters: usize,
    guard: Vec<Literal>,
    /// Of all processes that are no parameters: an array, whether it is equal, and the value.
    others: Option<(usize, bool, usize)>,
    /// Each place at most once.
    updates: Vec<(Place, usize)>,
}

#[derive(Clone, Debug)]
pub struct ProcessModel {
    arrays: Vec<Variable>,
    global: Variable,
    transitions: Vec<Transition>,
    /// A conjunction about so many distinct processes.
    bad: (usize, Vec<Literal>),
}

const PARAMETERS: [&str; 2] = ["x", "y"];

impl ProcessModel {
    pub fn random(seed: u64) -> ProcessModel {
        let mut rng = Rng::new(seed);
        let variable = |name: String, rng: &mut Rng| {
            let sort = rng.below(2);
            Variable { name, sort, start: if rng.one_in(4) { 1 } else { 0 } }
        };
        let arrays: Vec<Variable> =
            (0..1 + rng.below(2)).map(|a| variable(["A", "B"][a].to_string(), &mut rng)).collect();
        let global = variable("G".to_string(), &mut rng);
        let mut model = ProcessModel { arrays, global, transitions: Vec::new(), bad: (0, Vec::new()) };
        for _ in 0..1 + rng.below(3) {
            let transition = model.transition(&mut rng);
            model.transitions.push(transition);
        }
        let processes = 1 + rng.below(2);
        let mut bad = Vec::new();
        for process in 0..processes {
            let array = rng.below(model.arrays.len());
            let value = SORTS[model.arrays[array].sort].len() - 1;
            bad.push(Literal { place: Place::At(array, process), equal: true, value });
        }
        model.bad = (processes, bad);
        model
    }

    fn sort(&self, place: Place) -> usize {
        match place {
            Place::At(array, _) => self.arrays[array].sort,
            Place::Global => self.global.sort,
        }
    }

    fn place(&self, parameters: usize, rng: &mut Rng) -> Place {
        match rng.one_in(3) {
            true => Place::Global,
            false => Place::At(rng.below(self.arrays.len()), rng.below(parameters)),
        }
    }

    fn value(&self, place: Place, rng: &mut Rng) -> usize {
        rng.below(SORTS[self.sort(place)].len())
    }

    fn transition(&self, rng: &mut Rng) -> Transition {
        let parameters = 1 + usize::from(rng.one_in(3));
        let mut guard = Vec::new();
        for _ in 0..1 + rng.below(2) {
            let place = self.place(parameters, rng);
            guard.push(Literal { place, equal: !rng.one_in(3), value: self.value(place, rng) });
        }
        let others = rng.one_in(3).then(|| {
            let array = rng.below(self.arrays.len());
            (array, !rng.one_in(3), rng.below(SORTS[self.arrays[array].sort].len()))
        });
        let mut updates: Vec<(Place, usize)> = Vec::new();
        for _ in 0..1 + rng.below(2) {
            let place = self.place(parameters, rng);
            // An array is updated once in a transition, and so is the global variable.
            let same = |other: &(Place, usize)| match (other.0, place) {
                (Place::At(a, _), Place::At(b, _)) => a == b,
                (Place::Global, Place::Global) => true,
                _ => false,
            };
            if !updates.iter().any(same) {
                updates.push((place, self.value(place, rng)));
            }
        }
        Transition { parameters, guard, others, updates }
    }

    pub fn text(&self) -> String {
        let mut text = format!("type place = {}\n", SORTS[1].join(" | "));
        for array in &self.arrays {
            text += &format!("array {}[proc] : {}\n", array.name, NAMES[array.sort]);
        }
        text += &format!("var {} : {}\n", self.global.name, NAMES[self.global.sort]);
        let start = |v: &Variable, at: &str| format!("{}{at} = {}", v.name, SORTS[v.sort][v.start]);
        let starts: Vec<String> =
            self.arrays.iter().map(|a| start(a, "[z]")).chain([start(&self.global, "")]).collect();
        text += &format!("init (z) {{ {} }}\n", starts.join(" && "));
        let (processes, bad) = &self.bad;
        text += &format!("unsafe ({}) {{ {} }}\n", PARAMETERS[..*processes].join(" "), self.conjunction(bad));
        for (number, transition) in self.transitions.iter().enumerate() {
            text += &self.transition_text(number, transition);
        }
        text
    }

    fn transition_text(&self, number: usize, transition: &Transition) -> String {
        let parameters = PARAMETERS[..transition.parameters].join(" ");
        let mut guard = self.conjunction(&transition.guard);
        if let Some((array, equal, value)) = transition.others {
            let Variable { name, sort, .. } = &self.arrays[array];
            let sign = if equal { "=" } else { "<>" };
            guard += &format!(" && forall_other z. {name}[z] {sign} {}", SORTS[*sort][value]);
        }
        let update = |(place, value): &(Place, usize)| {
            format!("{} := {};", self.name(*place), SORTS[self.sort(*place)][*value])
        };
        let updates: Vec<String> = transition.updates.iter().map(update).collect();
        format!("transition t{number} ({parameters})\nrequires {{ {guard} }}\n{{ {} }}\n", updates.join(" "))
    }

    fn name(&self, place: Place) -> String {
        match place {
            Place::At(array, parameter) => format!("{}[{}]", self.arrays[array].name, PARAMETERS[parameter]),
            Place::Global => self.global.name.clone(),
        }
    }

    fn conjunction(&self, literals: &[Literal]) -> String {
        let literal = |l: &Literal| {
            let sign = if l.equal { "=" } else { "<>" };
            format!("{} {sign} {}", self.name(l.place), SORTS[self.sort(l.place)][l.value])
        };
        literals.iter().map(literal).collect::<Vec<_>>().join(" && ")
    }

    /// The step of a shortest violation with so many processes.
    pub fn violated(&self, size: usize) -> Option<usize> {
        let arrays = self.arrays.iter().map(|a| vec![a.start; size]).collect();
        let mut layer = vec![State { arrays, global: self.global.start }];
        let mut known: BTreeSet<State> = layer.iter().cloned().collect();
        for step in 0.. {
            let (processes, bad) = &self.bad;
            let is_bad =
                |s: &State| choices(*processes, size).iter().any(|c| bad.iter().all(|l| s.satisfies(l, c)));
            if layer.iter().any(is_bad) {
                return Some(step);
            }
            let after =
                |s: &State| self.transitions.iter().flat_map(|t| s.after(t, size)).collect::<Vec<_>>();
            layer = layer.iter().flat_map(after).filter(|s| known.insert(s.clone())).collect();
            if layer.is_empty() {
                return None;
            }
        }
        unreachable!("there are finitely many states")
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    arrays: Vec<Vec<usize>>,
    global: usize,
}

impl State {
    fn read(&self, place: Place, choice: &[usize]) -> usize {
        match place {
            Place::At(array, parameter) => self.arrays[array][choice[parameter]],
            Place::Global => self.global,
        }
    }

    fn satisfies(&self, literal: &Literal, choice: &[usize]) -> bool {
        (self.read(literal.place, choice) == literal.value) == literal.equal
    }

    fn after(&self, transition: &Transition, size: usize) -> Vec<State> {
        let others = |choice: &[usize]| match transition.others {
            Some((array, equal, value)) => (0..size)
                .filter(|process| !choice.contains(process))
                .all(|process| (self.arrays[array][process] == value) == equal),
            None => true,
        };
        let fits = |choice: &Vec<usize>| {
            transition.guard.iter().all(|literal| self.satisfies(literal, choice)) && others(choice)
        };
        let moved = |choice: Vec<usize>| {
            let mut next = self.clone();
            for &(place, value) in &transition.updates {
                match place {
                    Place::At(array, parameter) => next.arrays[array][choice[parameter]] = value,
                    Place::Global => next.global = value,
                }
            }
            next
        };
        choices(transition.parameters, size).into_iter().filter(fits).map(moved).collect()
    }
}

/// So many distinct processes, in all ways.
fn choices(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let with = |choice: &Vec<usize>, p: usize| choice.iter().copied().chain([p]).collect::<Vec<usize>>();
        let longer = |choice: &Vec<usize>| {
            (0..size).filter(|p| !choice.contains(p)).map(|p| with(choice, p)).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
