//! XML, as far as reports need it: elements with attributes and a text, or elements in them.

/// The first line of a document.
pub const DECLARATION: &str = "<?xml version=\"1.0\"?>\n";

/// An element: a text, or other elements in it.
pub struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    text: Option<String>,
    children: Vec<Element>,
}

impl Element {
    pub fn new(name: &'static str) -> Element {
        Element { name, attributes: Vec::new(), text: None, children: Vec::new() }
    }

    pub fn text(name: &'static str, text: impl ToString) -> Element {
        Element { text: Some(text.to_string()), ..Element::new(name) }
    }

    pub fn with(mut self, attribute: &'static str, value: impl ToString) -> Element {
        self.attributes.push((attribute, value.to_string()));
        self
    }

    pub fn of(mut self, children: impl IntoIterator<Item = Element>) -> Element {
        self.children.extend(children);
        self
    }

    pub fn render(&self, depth: usize) -> String {
        let indent = "  ".repeat(depth);
        let attributes: String =
            self.attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).collect();
        let open = format!("{indent}<{}{attributes}", self.name);
        match &self.text {
            Some(text) => format!("{open}>{}</{}>\n", escaped(text), self.name),
            None if self.children.is_empty() => format!("{open}/>\n"),
            None => {
                let inner: String = self.children.iter().map(|child| child.render(depth + 1)).collect();
                format!("{open}>\n{inner}{indent}</{}>\n", self.name)
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
