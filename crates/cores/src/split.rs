//! Equations cut into their subexpressions, each a definition of its own: the finest elements (Section 5.1 of the paper has
//! the user write auxiliary variables for this).

use buttress_system::words::{Definition, Label, System};
use buttress_term::TermId;
use buttress_term::smtlib::Smtlib;
use rustc_hash::FxHashMap;

/// The same system, in which every operator of an equation has a definition before it, named after the equation and its text.
pub fn split(system: &System) -> System {
    let mut new = System { definitions: Vec::new(), ..system.clone() };
    let texts = Smtlib::new(&system.terms);
    for definition in &system.definitions {
        let mut image = FxHashMap::default();
        for part in system.terms.cone([definition.value]) {
            if part != definition.value && !system.terms.operands(part).is_empty() {
                let value = new.terms.image(part, &mut image);
                let label = part_label(&texts, &definition.label, part);
                let variable = new.add_definition(value, label);
                image.insert(part, variable);
            }
        }
        let value = new.terms.image(definition.value, &mut image);
        new.definitions.push(Definition { value, ..definition.clone() });
    }
    new
}

fn part_label(texts: &Smtlib<'_>, of: &Label, part: TermId) -> Label {
    const MOST: usize = 60;
    let text = texts.term(part);
    let text = match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text,
    };
    Label { name: format!("{} / {text}", of.name).into(), span: of.span }
}
