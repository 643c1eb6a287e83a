use super::{looks_like, read};

const MUTEX: &str = "(* comment (* nested *) *)
type place = Out | In
array A[proc] : place
init (z) { A[z] = Out }
unsafe (x y) { A[x] = In && A[y] = In }
transition enter (x)
requires { A[x] = Out && forall_other z. A[z] = Out }
{ A[x] := In; }
";

#[test]
fn a_model_is_read() {
    assert!(looks_like(MUTEX));
    let model = read(MUTEX).unwrap_or_else(|d| panic!("{}", d.render("m.cub")));
    model.validate().expect("it fits together");
    let system = &model.system;
    let names: Vec<&str> = system.states.iter().map(|s| &*s.label.name).collect();
    assert_eq!(names, ["N", "A"]);
    assert_eq!((system.properties.len(), model.indices.len()), (1, 2));
    // N > 0, and the guard; the guard about all others.
    assert_eq!((system.constraints.len(), model.axioms.len()), (2, 1));
}

#[test]
fn what_is_no_cubicle_file_does_not_look_like_one() {
    for text in
        ["node f(x: int) returns (y: int); let y = x; tel", "(declare-const x Int)", "aag 0 0 0 0 0\n", ""]
    {
        assert!(!looks_like(text), "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    let transition = "transition t (x)\n";
    for (text, line, column) in [
        ("var X : nothing", 1, 9),
        ("type t = A | A", 1, 14),
        ("var X : bool\nvar X : int", 2, 5),
        ("array A[int] : bool", 1, 9),
        ("number_procs 3", 1, 1),
        ("(* never closed", 1, 1),
        ("var X : int\ninit () { X = True }", 2, 11),
        ("unsafe () { Y = 1 }", 1, 13),
        ("array A[proc] : bool\nunsafe (x) { A[y] = True }", 2, 16),
        ("array A[proc, proc] : bool\nunsafe (x) { A[x, x] = True }", 2, 19),
        ("array A[proc] : bool\nunsafe (x) { A[#1] = True }", 2, 16),
        (&format!("const C : int\n{transition}{{ C := 1 }}"), 3, 3),
        (&format!("var X : int\n{transition}{{ X := 1; X := 2 }}"), 3, 11),
        (&format!("var X : int\n{transition}{{ X := True }}"), 3, 8),
        (&format!("array A[proc] : int\n{transition}{{ A[x] := case | x = x : 1 | _ : 2 }}"), 3, 5),
        (&format!("array A[proc] : int\n{transition}{{ A[j] := case | j = x : 1 }}"), 3, 11),
        ("predicate p (x) { p (x) }\nunsafe (x) { p (x) }", 1, 19),
        ("var X : int\nunsafe () { X = ? }", 2, 17),
        ("unsafe () { 1 }", 1, 13),
        ("hello", 1, 1),
    ] {
        let told = read(text).err().unwrap_or_else(|| panic!("{text} is read")).render("m.cub");
        assert!(told.starts_with(&format!("m.cub:{line}:{column}:")), "{text}: {told}");
    }
}
