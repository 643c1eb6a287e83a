//! What is wrong is said as a compiler would: the line, carets under what is meant, and what may help.

/// A model, and what is said about it. Only errors and warnings, as rendered for `m.lus`.
fn said(text: &str) -> String {
    let diagnostics = match buttress_lustre::read(text.to_string()) {
        Ok(model) => model.remarks,
        Err(diagnostics) => diagnostics,
    };
    diagnostics.iter().map(|d| d.render("m.lus")).collect::<Vec<_>>().join("\n")
}

macro_rules! golden {
    ($($name:ident: $text:expr => $expected:expr;)*) => {
        $(#[test] fn $name() { assert_eq!(said($text), $expected.trim_start_matches('\n')); })*
    };
}

golden! {
    a_missing_semicolon: "node n(x: int) returns (y: int);\nlet\n  y = x\ntel" => r#"
m.lus:3:7: error: expected ';', found 'tel'
      y = x
          ^"#;
}
