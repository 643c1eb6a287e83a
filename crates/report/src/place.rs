//! Where a property stands, for programs that show findings beside a text: in the design that Yosys made the model
//! of, where it says so, else in the model.

use buttress_driver::Report;
use buttress_driver::report::Finding;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// `None` of a file that has no lines for people.
pub fn of(report: &Report, finding: &Finding) -> Option<Place> {
    if let Some(place) = finding.place.as_deref().and_then(in_design) {
        return Some(place);
    }
    let (span, file) = (finding.span?, report.file.clone()?);
    Some(Place {
        file,
        line: span.line,
        column: span.column,
        end_line: span.end_line,
        end_column: span.end_column,
    })
}

/// `link.v:33.5-33.36`, the first of several with `|` between them.
fn in_design(text: &str) -> Option<Place> {
    let (file, range) = text.split('|').next()?.rsplit_once(':')?;
    let (from, to) = range.split_once('-')?;
    let number = |text: &str| -> Option<(u32, u32)> {
        let (line, column) = text.split_once('.')?;
        Some((line.parse().ok()?, column.parse().ok()?))
    };
    let ((line, column), (end_line, end_column)) = (number(from)?, number(to)?);
    Some(Place { file: file.to_string(), line, column, end_line, end_column })
}

#[cfg(test)]
mod tests {
    use super::in_design;

    #[test]
    fn places_of_yosys_are_read() {
        let place = in_design("rtl/link.v:33.5-34.36|link.v:15.34-15.40").expect("a place");
        assert_eq!((&place.file[..], place.line, place.column), ("rtl/link.v", 33, 5));
        assert_eq!((place.end_line, place.end_column), (34, 36));
        assert_eq!(in_design("link.v:33"), None);
    }
}
