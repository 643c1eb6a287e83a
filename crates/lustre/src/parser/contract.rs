//! Contracts: `(*@contract … *)`, `con … noc`, and contracts that are declared.

use super::{Parsed, Parser};
use crate::ast::{Clause, ConstDecl, ContractDecl, ContractItem};
use crate::lexer::Tok;
use crate::source::Span;

impl Parser<'_> {
    /// The contract of a node, where it has one.
    pub(super) fn node_contract(&mut self) -> Parsed<Vec<ContractItem>> {
        let mut items = Vec::new();
        loop {
            if self.eat(Tok::Contract) {
                items.extend(self.contract_items(|p| p.tok() == Tok::BlockEnd)?);
                self.advance();
            } else if self.eat_word("con") {
                items.extend(self.contract_items(|p| p.is_word(0, "noc"))?);
                self.advance();
            } else {
                return Ok(items);
            }
            self.eat(Tok::Semi);
        }
    }

    pub(super) fn contract_decl(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.ident()?;
        let params = if self.eat(Tok::Lt) { self.listed(Tok::Gt, Self::ident)? } else { Vec::new() };
        let inputs = self.params()?;
        self.expect(Tok::Returns)?;
        let outputs = self.params()?;
        self.eat(Tok::Semi);
        self.expect(Tok::Let)?;
        let items = self.contract_items(|p| p.tok() == Tok::Tel)?;
        self.advance();
        if !self.eat(Tok::Semi) {
            self.eat(Tok::Dot);
        }
        self.ast.contracts.push(ContractDecl { name, params, inputs, outputs, items });
        Ok(())
    }

    fn contract_items(&mut self, end: impl Fn(&Self) -> bool) -> Parsed<Vec<ContractItem>> {
        let mut items = Vec::new();
        while !end(self) {
            items.push(self.contract_item()?);
        }
        Ok(items)
    }

    fn contract_item(&mut self) -> Parsed<ContractItem> {
        let start = self.span();
        match self.tok() {
            Tok::Var => self.ghost_vars(),
            Tok::Const => self.ghost_const(),
            Tok::Ident => match self.text_of(start) {
                "weakly" => {
                    self.advance();
                    self.contract_item()
                }
                "assume" => self.clause().map(ContractItem::Assume),
                "guarantee" => self.clause().map(ContractItem::Guarantee),
                "mode" => self.mode(),
                "import" => self.import(),
                "decreases" => {
                    self.advance();
                    let measure = self.commas(Self::expr)?;
                    self.expect_semi()?;
                    Ok(ContractItem::Decreases(measure, start.to(self.previous())))
                }
                "assumption_vars" => {
                    self.advance();
                    let vars = self.idents()?;
                    self.expect_semi()?;
                    Ok(ContractItem::AssumptionVars(vars))
                }
                _ => self.expected("a part of a contract (assume, guarantee, mode, var, const, import)"),
            },
            _ => self.expected("a part of a contract (assume, guarantee, mode, var, const, import)"),
        }
    }

    /// `assume "name" e;` from its word on.
    fn clause(&mut self) -> Parsed<Clause> {
        let start = self.advance();
        let name = self.optional_string();
        let value = self.expr()?;
        self.expect_semi()?;
        Ok(Clause { name, value, span: start.to(self.previous()) })
    }

    /// `var x, y: int = e;`, `var x: int, b: bool = e;`
    fn ghost_vars(&mut self) -> Parsed<ContractItem> {
        let start = self.advance();
        let mut vars = self.typed_idents(false)?;
        while self.eat(Tok::Comma) {
            vars.extend(self.typed_idents(false)?);
        }
        self.expect(Tok::Eq)?;
        let value = self.expr()?;
        self.expect_semi()?;
        Ok(ContractItem::GhostVars(vars, value, start.to(self.previous())))
    }

    fn ghost_const(&mut self) -> Parsed<ContractItem> {
        self.advance();
        let name = self.ident()?;
        let ty = if self.eat(Tok::Colon) { Some(self.ty()?) } else { None };
        let value = if self.eat(Tok::Eq) { Some(self.expr()?) } else { None };
        self.expect_semi()?;
        Ok(ContractItem::GhostConst(ConstDecl { name, ty, value }))
    }

    /// `mode m ( require e; ensure e; );`
    fn mode(&mut self) -> Parsed<ContractItem> {
        self.advance();
        let name = self.ident()?;
        self.expect(Tok::LParen)?;
        let mut requires = Vec::new();
        let mut ensures = Vec::new();
        while self.tok() != Tok::RParen {
            if self.is_word(0, "require") {
                requires.push(self.clause()?);
            } else if self.is_word(0, "ensure") {
                ensures.push(self.clause()?);
            } else {
                return self.expected("'require' or 'ensure'");
            }
        }
        self.advance();
        self.eat(Tok::Semi);
        Ok(ContractItem::Mode { name, requires, ensures })
    }

    /// `import C(x) returns (y);`
    fn import(&mut self) -> Parsed<ContractItem> {
        let start = self.advance();
        let name = self.ident()?;
        let types = if self.eat(Tok::At) { self.type_args()? } else { Vec::new() };
        self.expect(Tok::LParen)?;
        let args = if self.tok() == Tok::RParen { Vec::new() } else { self.commas(Self::expr)? };
        self.expect(Tok::RParen)?;
        self.expect(Tok::Returns)?;
        self.expect(Tok::LParen)?;
        let outs = if self.tok() == Tok::RParen { Vec::new() } else { self.idents()? };
        self.expect(Tok::RParen)?;
        self.expect_semi()?;
        let span: Span = start.to(self.previous());
        Ok(ContractItem::Import { name, types, args, outs, span })
    }
}
