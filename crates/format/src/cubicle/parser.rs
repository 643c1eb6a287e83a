//! The grammar of Cubicle files.

use super::lexer::{At, Placed, Token, Wrong, wrong};
use super::syntax::{
    Assigned, Cube, Expr, File, Ident, Kind, Predicate, Quantifier, Transition, Type, Update, Variable,
};

/// Deeper formulas are refused.
const DEPTH: usize = 500;

struct Parser {
    tokens: Vec<Placed>,
    place: usize,
    depth: usize,
}

/// Reads all declarations.
pub fn parse(tokens: Vec<Placed>) -> Result<File, Wrong> {
    let mut parser = Parser { tokens, place: 0, depth: 0 };
    let mut file = File::default();
    while *parser.peek() != Token::End {
        parser.declaration(&mut file)?;
    }
    Ok(file)
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.place].token
    }

    fn at(&self) -> At {
        self.tokens[self.place].at
    }

    fn next(&mut self) -> Placed {
        let token = self.tokens[self.place].clone();
        self.place = (self.place + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(name) if name == word)
    }

    /// Takes a sign if it is next.
    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Wrong> {
        match self.accept(sign) {
            true => Ok(()),
            false => wrong(self.at(), format!("`{sign}` is expected here")),
        }
    }

    fn ident(&mut self, what: &str) -> Result<Ident, Wrong> {
        let at = self.at();
        match self.next().token {
            Token::Name(name) | Token::Capital(name) => Ok(Ident { name, at }),
            _ => wrong(at, format!("{what} is expected here")),
        }
    }

    fn declaration(&mut self, file: &mut File) -> Result<(), Wrong> {
        let word = self.ident("a declaration")?;
        match word.name.as_str() {
            "type" => file.types.push(self.type_definition()?),
            "var" | "const" => {
                let name = self.ident("the name of a variable")?;
                self.expect(":")?;
                let constant = word.name == "const";
                file.variables.push(Variable { name, arguments: 0, result: self.ident("a type")?, constant });
            }
            "array" => file.variables.push(self.array()?),
            "init" if file.init.is_some() => return wrong(word.at, "there is an init already"),
            "init" => file.init = Some(self.cube(word.at)?),
            "unsafe" => file.unsafe_states.push(self.cube(word.at)?),
            "invariant" | "candidate" => file.hints.push(self.cube(word.at)?),
            "predicate" => {
                let name = self.ident("the name of a predicate")?;
                let cube = self.cube(name.at)?;
                file.predicates.push(Predicate { name, parameters: cube.parameters, body: cube.body });
            }
            "transition" => file.transitions.push(self.transition()?),
            "number_procs" => {
                return wrong(
                    word.at,
                    "a fixed number of processes is not supported: a model is for all of them",
                );
            }
            other => return wrong(word.at, format!("`{other}` begins no declaration that is supported")),
        }
        Ok(())
    }

    fn type_definition(&mut self) -> Result<Type, Wrong> {
        let name = self.ident("the name of a type")?;
        let mut constructors = Vec::new();
        if self.accept("=") {
            self.accept("|");
            constructors.push(self.ident("a constructor")?);
            while self.accept("|") {
                constructors.push(self.ident("a constructor")?);
            }
        }
        Ok(Type { name, constructors })
    }

    fn array(&mut self) -> Result<Variable, Wrong> {
        let name = self.ident("the name of an array")?;
        self.expect("[")?;
        let places = self.names("]")?;
        if let Some(other) = places.iter().find(|p| p.name != "proc") {
            return wrong(other.at, "an array is indexed by processes: `proc` is expected here");
        }
        self.expect("]")?;
        self.expect(":")?;
        Ok(Variable { name, arguments: places.len(), result: self.ident("a type")?, constant: false })
    }

    /// Names, with or without commas, up to a sign.
    fn names(&mut self, end: &str) -> Result<Vec<Ident>, Wrong> {
        let mut names = Vec::new();
        while !self.is(end) {
            if self.is("#") {
                return wrong(self.at(), "processes by number are not supported");
            }
            names.push(self.ident("a name")?);
            self.accept(",");
        }
        Ok(names)
    }

    fn parameters(&mut self) -> Result<Vec<Ident>, Wrong> {
        if !self.accept("(") {
            return Ok(Vec::new());
        }
        let names = self.names(")")?;
        self.expect(")")?;
        for (place, name) in names.iter().enumerate() {
            if names[..place].iter().any(|n| n.name == name.name) {
                return wrong(name.at, format!("`{}` is a parameter already", name.name));
            }
        }
        Ok(names)
    }

    fn cube(&mut self, at: At) -> Result<Cube, Wrong> {
        let parameters = self.parameters()?;
        self.expect("{")?;
        let body = self.expr()?;
        self.expect("}")?;
        Ok(Cube { at, parameters, body })
    }

    fn transition(&mut self) -> Result<Transition, Wrong> {
        let name = self.ident("the name of a transition")?;
        let parameters = self.parameters()?;
        let mut requires = None;
        if self.is_word("requires") {
            self.next();
            self.expect("{")?;
            requires = Some(self.expr()?);
            self.expect("}")?;
        }
        self.expect("{")?;
        let mut updates = Vec::new();
        while !self.is("}") {
            updates.push(self.update()?);
            if !self.accept(";") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Transition { name, parameters, requires, updates })
    }

    fn update(&mut self) -> Result<Update, Wrong> {
        if self.is_word("let") {
            return wrong(self.at(), "`let` is not supported");
        }
        let target = self.ident("a variable or an array")?;
        let mut places = Vec::new();
        if self.accept("[") {
            places = self.names("]")?;
            self.expect("]")?;
        }
        self.expect(":=")?;
        let value = match self.is_word("case") {
            true => Assigned::Case(self.cases()?),
            false => Assigned::Expr(self.expr()?),
        };
        Ok(Update { target, places, value })
    }

    fn cases(&mut self) -> Result<Vec<(Option<Expr>, Expr)>, Wrong> {
        let at = self.next().at;
        let mut cases = Vec::new();
        self.accept("|");
        loop {
            let condition = if self.accept("_") { None } else { Some(self.expr()?) };
            self.expect(":")?;
            let last = condition.is_none();
            cases.push((condition, self.expr()?));
            if last {
                return Ok(cases);
            }
            if !self.accept("|") {
                return wrong(at, "the last case of this is not `_`");
            }
        }
    }

    /// Quantifiers and implications, which associate to the right.
    fn expr(&mut self) -> Result<Expr, Wrong> {
        let at = self.at();
        self.depth += 1;
        if self.depth > DEPTH {
            return wrong(at, "this formula is too deep");
        }
        let left = self.disjunction()?;
        let mut whole = left;
        for sign in ["=>", "<=>"] {
            if self.accept(sign) {
                let right = self.expr()?;
                whole = Expr { kind: Kind::Binary(sign, Box::new(whole), Box::new(right)), at };
                break;
            }
        }
        self.depth -= 1;
        Ok(whole)
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Result<Expr, Wrong> {
        let at = self.next().at;
        let mut names = Vec::new();
        while !self.is(".") {
            names.push(self.ident("a name or `.`")?);
            if !self.accept("<>") {
                self.accept(",");
            }
        }
        self.expect(".")?;
        Ok(Expr { kind: Kind::Quantified(quantifier, names, Box::new(self.expr()?)), at })
    }

    fn left_associative(
        &mut self,
        signs: &[&'static str],
        operand: fn(&mut Parser) -> Result<Expr, Wrong>,
    ) -> Result<Expr, Wrong> {
        let at = self.at();
        let mut left = operand(self)?;
        while let Some(&sign) = signs.iter().find(|s| self.is(s)) {
            self.next();
            let right = operand(self)?;
            left = Expr { kind: Kind::Binary(sign, Box::new(left), Box::new(right)), at };
        }
        Ok(left)
    }

    fn disjunction(&mut self) -> Result<Expr, Wrong> {
        self.left_associative(&["||"], Parser::conjunction)
    }

    fn conjunction(&mut self) -> Result<Expr, Wrong> {
        self.left_associative(&["&&"], Parser::comparison)
    }

    fn comparison(&mut self) -> Result<Expr, Wrong> {
        for (word, quantifier) in [
            ("forall", Quantifier::Forall),
            ("exists", Quantifier::Exists),
            ("forall_other", Quantifier::ForallOther),
        ] {
            if self.is_word(word) {
                return self.quantified(quantifier);
            }
        }
        let at = self.at();
        if self.is_word("not") || self.is("!") {
            self.next();
            let operand = self.comparison()?;
            return Ok(Expr { kind: Kind::Not(Box::new(operand)), at });
        }
        if self.is_word("if") {
            return self.conditional();
        }
        let left = self.sum()?;
        for sign in ["=", "<>", "<=", ">=", "<", ">"] {
            if self.accept(sign) {
                let right = self.sum()?;
                return Ok(Expr { kind: Kind::Binary(sign, Box::new(left), Box::new(right)), at });
            }
        }
        Ok(left)
    }

    fn conditional(&mut self) -> Result<Expr, Wrong> {
        let at = self.next().at;
        let condition = self.expr()?;
        self.word("then")?;
        let then = self.expr()?;
        self.word("else")?;
        let other = self.expr()?;
        Ok(Expr { kind: Kind::If(Box::new([condition, then, other])), at })
    }

    fn word(&mut self, word: &str) -> Result<(), Wrong> {
        if !self.is_word(word) {
            return wrong(self.at(), format!("`{word}` is expected here"));
        }
        self.next();
        Ok(())
    }

    fn sum(&mut self) -> Result<Expr, Wrong> {
        self.left_associative(&["+", "-"], Parser::atom)
    }

    fn atom(&mut self) -> Result<Expr, Wrong> {
        let Placed { token, at } = self.next();
        let kind = match token {
            Token::Sign("(") => {
                let inner = self.expr()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Sign("?" | ".") => Kind::Any,
            Token::Sign("#") => return wrong(at, "processes by number are not supported"),
            Token::Sign("-") => {
                let zero = Expr { kind: Kind::Int("0".to_string()), at };
                Kind::Binary("-", Box::new(zero), Box::new(self.atom()?))
            }
            Token::Int(digits) => Kind::Int(digits),
            Token::Real(digits) => Kind::Real(digits),
            Token::Name(name) | Token::Capital(name) => {
                let ident = Ident { name, at };
                if self.accept("[") {
                    let places = self.names("]")?;
                    self.expect("]")?;
                    Kind::Access(ident, places)
                } else if self.is("(") && matches!(ident.name.chars().next(), Some('a'..='z')) {
                    self.next();
                    let mut arguments = Vec::new();
                    while !self.is(")") {
                        arguments.push(self.expr()?);
                        self.accept(",");
                    }
                    self.expect(")")?;
                    Kind::Call(ident, arguments)
                } else {
                    Kind::Name(ident.name)
                }
            }
            _ => return wrong(at, "a formula or a value is expected here"),
        };
        Ok(Expr { kind, at })
    }
}
