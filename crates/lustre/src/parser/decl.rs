//! Declarations and the bodies of nodes.

use super::{ENOUGH, Failed, Parsed, Parser};
use crate::ast::{
    Clock, ConstDecl, Constructor, Equation, ExprKind, Ident, Item, NodeDecl, NodeKind, Property, Target,
    TypeBody, TypeDecl, TypeExpr, TypeKind, VarDecl, Window,
};
use crate::lexer::Tok;

impl Parser<'_> {
    pub(super) fn program(&mut self) {
        while self.tok() != Tok::End && self.findings.len() < ENOUGH {
            let before = self.at;
            if self.declaration().is_err() {
                self.skip_to_declaration(before);
            }
        }
    }

    /// Goes to what is likely the start of the next declaration, past `before`.
    fn skip_to_declaration(&mut self, before: usize) {
        if self.at == before {
            self.advance();
        }
        while self.tok() != Tok::End && !self.at_declaration() {
            self.advance();
        }
    }

    fn at_declaration(&self) -> bool {
        let after_end = matches!(self.tokens[self.at - 1].tok, Tok::Tel | Tok::Semi);
        let word = ["contract", "datatype", "lemma", "opaque", "transparent"]
            .iter()
            .any(|word| self.is_word(0, word));
        matches!(self.tok(), Tok::Node | Tok::Function | Tok::Type)
            || (after_end && word && self.peek(1) == Tok::Ident)
    }

    fn declaration(&mut self) -> Parsed<()> {
        match self.tok() {
            Tok::Type => self.type_decl(),
            Tok::Const => {
                let consts = self.const_decls()?;
                self.ast.consts.extend(consts);
                Ok(())
            }
            Tok::Node | Tok::Function => self.node(),
            Tok::Semi => {
                self.advance();
                Ok(())
            }
            Tok::Ident if self.is_word(0, "datatype") => self.datatype(),
            Tok::Ident if self.is_word(0, "contract") => self.contract_decl(),
            Tok::Ident if self.is_word(0, "param") => {
                let consts = self.const_decls()?;
                self.ast.consts.extend(consts);
                Ok(())
            }
            Tok::Ident if ["lemma", "opaque", "transparent"].iter().any(|word| self.is_word(0, word)) => {
                self.node()
            }
            Tok::Contract => {
                self.contract_decl()?;
                self.eat(Tok::BlockEnd);
                Ok(())
            }
            Tok::Ident if self.is_word(0, "include") => self.fail(self.span(), "'include' is not supported"),
            _ => self.expected("a declaration (type, const, node, function, contract)"),
        }
    }

    fn type_decl(&mut self) -> Parsed<()> {
        self.advance();
        let names = self.idents()?;
        let params = self.static_params()?;
        if self.eat(Tok::Semi) {
            self.declare_types(names, &params, || TypeBody::Free);
            return Ok(());
        }
        self.expect(Tok::Eq)?;
        match self.tok() {
            Tok::Enum => {
                self.advance();
                self.expect(Tok::LBrace)?;
                let values = self.idents()?;
                self.expect(Tok::RBrace)?;
                self.declare_types(names, &params, || TypeBody::Enum(values.clone()));
            }
            Tok::Struct | Tok::LBrace => {
                self.eat(Tok::Struct);
                self.expect(Tok::LBrace)?;
                let fields = self.fields(Tok::RBrace)?;
                self.declare_types(names, &params, || TypeBody::Record(fields.clone()));
            }
            _ => {
                let ty = self.ty()?;
                self.declare_types(names, &params, || TypeBody::Alias(ty.clone()));
            }
        }
        self.expect_semi()
    }

    fn declare_types(&mut self, names: Vec<Ident>, params: &[Ident], body: impl Fn() -> TypeBody) {
        for name in names {
            self.ast.types.push(TypeDecl { name, params: params.to_vec(), body: body() });
        }
    }

    /// `x, y : T; …` up to `close`, one field each.
    fn fields(&mut self, close: Tok) -> Parsed<Vec<(Ident, TypeExpr)>> {
        let groups = self.listed(close, |p| p.typed_idents(false))?;
        Ok(groups.into_iter().flatten().map(|var| (var.name, var.ty)).collect())
    }

    fn static_params(&mut self) -> Parsed<Vec<Ident>> {
        if !self.eat(Tok::Lt) {
            return Ok(Vec::new());
        }
        self.listed(Tok::Gt, Self::ident)
    }

    /// `datatype D<T> = A | B (x: T, y: int);`
    fn datatype(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.ident()?;
        let params = self.static_params()?;
        self.expect(Tok::Eq)?;
        self.eat(Tok::Bar);
        let mut constructors = vec![self.constructor()?];
        while self.eat(Tok::Bar) {
            constructors.push(self.constructor()?);
        }
        self.ast.types.push(TypeDecl { name, params, body: TypeBody::Data(constructors) });
        self.expect_semi()
    }

    fn constructor(&mut self) -> Parsed<Constructor> {
        let name = self.ident()?;
        let fields = if self.eat(Tok::LParen) { self.fields(Tok::RParen)? } else { Vec::new() };
        Ok(Constructor { name, fields })
    }

    /// `const a: int = 1; b, c: bool;` after the word.
    pub(super) fn const_decls(&mut self) -> Parsed<Vec<ConstDecl>> {
        self.advance();
        let mut consts = Vec::new();
        loop {
            let names = self.idents()?;
            let ty = if self.eat(Tok::Colon) { Some(self.ty()?) } else { None };
            let value = if self.eat(Tok::Eq) { Some(self.expr()?) } else { None };
            if ty.is_none() && value.is_none() {
                return self.expected("':' or '='");
            }
            self.expect_semi()?;
            consts.extend(names.into_iter().map(|name| ConstDecl { name, ty: ty.clone(), value }));
            if self.tok() != Tok::Ident || !matches!(self.peek(1), Tok::Colon | Tok::Eq | Tok::Comma) {
                return Ok(consts);
            }
        }
    }

    /// `x, y : T`, `x : T | p`, and in heads and locals `x : T when c`.
    pub(super) fn typed_idents(&mut self, clocked: bool) -> Parsed<Vec<VarDecl>> {
        let constant = self.eat(Tok::Const);
        let names = if clocked { self.commas(Self::declared)? } else { self.idents()? };
        self.expect(Tok::Colon)?;
        let mut ty = self.ty()?;
        if self.tok() == Tok::Bar {
            self.advance();
            let pred = self.expr()?;
            let [name] = &names[..] else {
                return self.fail(ty.span, "a refinement in short form has a single variable");
            };
            let span = ty.span.to(self.previous());
            ty = TypeExpr { span, kind: TypeKind::Refined(name.clone(), Box::new(ty), pred) };
        }
        let clock = if clocked && self.eat_word("when") { self.clock()? } else { Clock::Base };
        Ok(names
            .into_iter()
            .map(|name| VarDecl { name, ty: ty.clone(), clock: clock.clone(), constant })
            .collect())
    }

    /// `(x: T; const n: int; …)`
    pub(super) fn params(&mut self) -> Parsed<Vec<VarDecl>> {
        self.expect(Tok::LParen)?;
        let groups = self.listed(Tok::RParen, |p| p.typed_idents(true))?;
        Ok(groups.into_iter().flatten().collect())
    }

    fn node_kind(&mut self) -> NodeKind {
        while self.eat_word("opaque") || self.eat_word("transparent") {}
        let kind = match self.tok() {
            Tok::Node => NodeKind::Node,
            Tok::Function => NodeKind::Function,
            _ => NodeKind::Lemma,
        };
        self.advance();
        kind
    }

    fn node(&mut self) -> Parsed<()> {
        let kind = self.node_kind();
        let mut imported = self.peek(1) == Tok::Ident && self.eat_word("imported");
        let recursive = self.peek(1) == Tok::Ident && self.eat_word("rec");
        let name = self.ident()?;
        if self.tok() == Tok::Eq {
            return self.fail(name.span, "instances of parametric nodes (node M = N<…>) are not supported");
        }
        let params = self.static_params()?;
        let inputs = self.params()?;
        let outputs = if kind == NodeKind::Lemma && self.tok() != Tok::Returns {
            Vec::new()
        } else {
            self.expect(Tok::Returns)?;
            self.params()?
        };
        self.eat(Tok::Semi);
        let contract = self.node_contract()?;
        imported |= kind == NodeKind::Function && !matches!(self.tok(), Tok::Var | Tok::Const | Tok::Let);
        let mut node = NodeDecl {
            name,
            kind,
            imported,
            recursive,
            params,
            inputs,
            outputs,
            contract,
            locals: Vec::new(),
            consts: Vec::new(),
            items: Vec::new(),
        };
        if !imported {
            self.locals(&mut node)?;
            self.expect(Tok::Let)?;
            node.items = self.items(&|p| p.tok() == Tok::Tel);
            let closed = self.expect(Tok::Tel);
            self.end_of_node();
            self.ast.nodes.push(node);
            return closed.map(|_| ());
        }
        self.ast.nodes.push(node);
        Ok(())
    }

    fn end_of_node(&mut self) {
        if !self.eat(Tok::Semi) {
            self.eat(Tok::Dot);
        }
    }

    fn locals(&mut self, node: &mut NodeDecl) -> Parsed<()> {
        loop {
            match self.tok() {
                Tok::Const => node.consts.extend(self.const_decls()?),
                Tok::Var => {
                    self.advance();
                    while self.tok() == Tok::Ident {
                        node.locals.extend(self.typed_idents(true)?);
                        self.expect_semi()?;
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Items up to where `end` holds; each error costs one of them.
    fn items(&mut self, end: &dyn Fn(&Self) -> bool) -> Vec<Item> {
        let mut items = Vec::new();
        while !end(self) && !self.hopeless() {
            let before = self.at;
            match self.nested(Self::item) {
                Ok(item) => items.extend(item),
                Err(Failed) => self.skip_item(before, end),
            }
        }
        items
    }

    /// The body ended without its end.
    fn hopeless(&self) -> bool {
        matches!(self.tok(), Tok::End | Tok::Node | Tok::Function | Tok::Type | Tok::Tel)
            || self.findings.len() >= ENOUGH
    }

    /// Goes past the next `;`, or to the end of the body.
    fn skip_item(&mut self, before: usize, end: &dyn Fn(&Self) -> bool) {
        if self.at > before && self.tokens[self.at - 1].tok == Tok::Semi {
            return;
        }
        while !self.hopeless() && !end(self) {
            if self.advance() == self.tokens[self.tokens.len() - 1].span
                || self.tokens[self.at - 1].tok == Tok::Semi
            {
                return;
            }
        }
        if self.at == before && !self.hopeless() {
            self.advance();
        }
    }

    /// `None` for what says nothing, such as `--%MAIN : false`.
    fn item(&mut self) -> Parsed<Option<Item>> {
        let start = self.span();
        let item = match self.tok() {
            Tok::Assert => {
                self.advance();
                let value = self.expr()?;
                self.expect_semi()?;
                Item::Assert(value, start.to(self.previous()))
            }
            Tok::Main => return self.main(),
            Tok::Property => self.property()?,
            Tok::Ivc => {
                self.advance();
                Item::Ivc(self.names_to_semi()?)
            }
            Tok::Realizable => {
                self.advance();
                Item::Realizable(self.names_to_semi()?, start.to(self.previous()))
            }
            Tok::If => self.if_block()?,
            Tok::Ident if self.starts_block("check") => self.check()?,
            Tok::Ident if self.starts_block("when") => self.when_block()?,
            Tok::Ident if self.is_word(0, "cond") && self.peek(1) == Tok::Bar => self.cond_block()?,
            Tok::Ident if self.is_word(0, "frame") && self.peek(1) == Tok::LParen => self.frame()?,
            Tok::Ident if self.is_word(0, "match") && self.starts_block("match") => {
                return self.fail(start, "'match' blocks are not supported");
            }
            Tok::Ident if self.is_word(0, "auto") && self.peek(1) == Tok::Semi => {
                self.advance();
                self.advance();
                Item::Auto(start)
            }
            Tok::Ident if self.peek(1) == Tok::LParen => {
                let call = self.expr()?;
                if !matches!(self.ast.kind(call), ExprKind::Call(_)) || self.tok() == Tok::Eq {
                    return self.expected("an equation");
                }
                self.expect_semi()?;
                Item::Invoke(call)
            }
            _ => Item::Equation(self.equation()?),
        };
        Ok(Some(item))
    }

    /// Is this word here, and not the left side of an equation?
    fn starts_block(&self, word: &str) -> bool {
        self.is_word(0, word) && !matches!(self.peek(1), Tok::Eq | Tok::Comma | Tok::RParen)
    }

    fn names_to_semi(&mut self) -> Parsed<Vec<Ident>> {
        let names = if self.tok() == Tok::Semi { Vec::new() } else { self.commas(Self::eid)? };
        self.expect_semi()?;
        Ok(names)
    }

    /// A name, with the path that JKind writes for a part of a structure.
    fn eid(&mut self) -> Parsed<Ident> {
        let mut name = self.ident()?;
        while matches!(self.tok(), Tok::Dot | Tok::LBracket) {
            self.advance();
            if self.tok() == Tok::Int {
                self.advance();
                self.expect(Tok::RBracket)?;
            } else {
                self.ident()?;
            }
        }
        name.span = name.span.to(self.previous());
        name.name = self.intern(name.span);
        Ok(name)
    }

    /// A variable to declare; one with a path is remembered.
    fn declared(&mut self) -> Parsed<Ident> {
        let name = self.eid()?;
        let text = self.text_of(name.span);
        if text.contains(['.', '[']) {
            self.parts.insert(text);
        }
        Ok(name)
    }

    /// `--%MAIN;`, `--!MAIN : true;`, `(*%MAIN *)`
    fn main(&mut self) -> Parsed<Option<Item>> {
        let span = self.advance();
        let mut chosen = true;
        if self.eat(Tok::Colon) {
            chosen = self.tok() == Tok::True;
            if !matches!(self.tok(), Tok::True | Tok::False) {
                return self.expected("'true' or 'false'");
            }
            self.advance();
        }
        self.eat(Tok::Semi);
        self.eat(Tok::BlockEnd);
        Ok(chosen.then_some(Item::Main(span)))
    }

    fn property(&mut self) -> Parsed<Item> {
        self.advance();
        let item = self.property_body()?;
        self.eat(Tok::BlockEnd);
        Ok(item)
    }

    fn check(&mut self) -> Parsed<Item> {
        self.advance();
        self.property_body()
    }

    /// `reachable "name" e from 3 within 5;`, `"name" e provided g;`
    fn property_body(&mut self) -> Parsed<Item> {
        let start = self.previous();
        let reachable = self.text_follows("reachable");
        if !reachable {
            self.text_follows("invariant");
        }
        let name = self.optional_string();
        self.eat(Tok::Colon);
        let value = self.expr()?;
        let provided = if self.eat_word("provided") { Some(self.expr()?) } else { None };
        let reachable = if reachable { Some(self.window()?) } else { None };
        self.expect_semi()?;
        Ok(Item::Property(Property { name, value, provided, reachable, span: start.to(self.previous()) }))
    }

    /// `from 3 within 5`, in any order, or `at 4`.
    fn window(&mut self) -> Parsed<Window> {
        let start = self.span();
        let mut window = Window::default();
        if self.eat_word("at") {
            let step = self.small_number()?;
            return Ok(Window { from: step, to: Some(step) });
        }
        for _ in 0..2 {
            if window.from == 0 && self.eat_word("from") {
                window.from = self.small_number()?;
            } else if window.to.is_none() && self.eat_word("within") {
                window.to = Some(self.small_number()?);
            }
        }
        if window.to.is_some_and(|to| to < window.from) {
            return self.fail(start.to(self.previous()), "no step is in this window");
        }
        Ok(window)
    }

    /// Eats this word where an expression or a string follows it, so that it is no variable.
    fn text_follows(&mut self, word: &str) -> bool {
        let starts = matches!(
            self.peek(1),
            Tok::Str
                | Tok::Ident
                | Tok::LParen
                | Tok::Not
                | Tok::True
                | Tok::False
                | Tok::If
                | Tok::Pre
                | Tok::Int
        );
        starts && self.eat_word(word)
    }

    pub(super) fn optional_string(&mut self) -> Option<crate::ast::Name> {
        if self.tok() != Tok::Str {
            return None;
        }
        let span = self.advance();
        let text = self.text_of(span);
        Some(text[1..text.len() - 1].into())
    }

    /// `x = e;`, `(x, y) = e;`, `a[i][j] = e;`, `() = e;`
    fn equation(&mut self) -> Parsed<Equation> {
        let start = self.span();
        let parenthesis = self.eat(Tok::LParen);
        let targets =
            if parenthesis && self.tok() == Tok::RParen { Vec::new() } else { self.commas(Self::target)? };
        if parenthesis {
            self.expect(Tok::RParen)?;
        }
        self.expect(Tok::Eq)?;
        let value = self.expr()?;
        self.expect_semi()?;
        Ok(Equation { targets, value, span: start.to(self.previous()) })
    }

    fn target(&mut self) -> Parsed<Target> {
        let name = if self.parts.is_empty() { self.ident()? } else { self.eid()? };
        let mut indices = Vec::new();
        while self.eat(Tok::LBracket) {
            indices.push(self.ident()?);
            self.expect(Tok::RBracket)?;
        }
        if self.tok() == Tok::Dot {
            return self
                .fail(self.span(), "an equation defines whole variables; write a record on the right side");
        }
        Ok(Target { name, indices })
    }

    /// `if c then … elsif d then … else … fi`
    fn if_block(&mut self) -> Parsed<Item> {
        let start = self.advance();
        let cond = self.expr()?;
        self.expect(Tok::Then)?;
        let stop = |p: &Self| p.tok() == Tok::Else || p.is_word(0, "elsif") || p.is_word(0, "fi");
        let yes = self.items(&stop);
        if self.is_word(0, "elsif") {
            let nested = self.nested(Self::if_block)?;
            return Ok(Item::If { cond, yes, no: vec![nested], span: start });
        }
        let no = if self.eat(Tok::Else) { self.items(&|p| p.is_word(0, "fi")) } else { Vec::new() };
        self.expect_word("fi")?;
        Ok(Item::If { cond, yes, no, span: start })
    }

    /// `when c then … else … end`
    fn when_block(&mut self) -> Parsed<Item> {
        let span = self.advance();
        let cond = self.expr()?;
        self.expect(Tok::Then)?;
        let yes = self.items(&|p| p.tok() == Tok::Else || p.is_word(0, "end"));
        let no = if self.eat(Tok::Else) { self.items(&|p| p.is_word(0, "end")) } else { Vec::new() };
        self.expect_word("end")?;
        Ok(Item::When { cond, yes, no, span })
    }

    /// `cond | c : … | d : … otherwise : … end`, which is nested `when`s.
    fn cond_block(&mut self) -> Parsed<Item> {
        let span = self.advance();
        let mut cases = Vec::new();
        let stop = |p: &Self| {
            p.tok() == Tok::Bar
                || p.is_word(0, "end")
                || (p.is_word(0, "otherwise") && p.peek(1) == Tok::Colon)
        };
        while self.eat(Tok::Bar) {
            let cond = self.expr()?;
            self.expect(Tok::Colon)?;
            cases.push((cond, self.items(&stop)));
        }
        let mut rest = Vec::new();
        if self.eat_word("otherwise") {
            self.expect(Tok::Colon)?;
            rest = self.items(&|p| p.is_word(0, "end"));
        }
        self.expect_word("end")?;
        let nest = |no, (cond, yes)| vec![Item::When { cond, yes, no, span }];
        let mut nested = cases.into_iter().rev().fold(rest, nest);
        nested.pop().ok_or(Failed)
    }

    /// `frame (x, y) x = 0; let … tel`
    fn frame(&mut self) -> Parsed<Item> {
        let span = self.advance();
        self.advance();
        let vars = self.idents()?;
        self.expect(Tok::RParen)?;
        let mut inits = Vec::new();
        while self.tok() != Tok::Let {
            inits.push(self.equation()?);
        }
        self.advance();
        let body = self.items(&|p| p.tok() == Tok::Tel);
        self.expect(Tok::Tel)?;
        self.eat(Tok::Semi);
        Ok(Item::Frame { vars, inits, body, span })
    }
}
