//! Conditions over parameters: `speed > 0.1 and not crouched`.
//!
//! From loose to tight: `or`, `and`, `not`, comparisons, `+ -`, `* /`, a sign. Names are parameters; a trigger is true while it is set.

use super::parameter::{Parameter, ParameterId};
use crate::names::UnknownName;

/// How deep parentheses, signs and `not` may be nested.
const DEEPEST: usize = 32;
/// Letters of the longest condition.
const LONGEST: usize = 2000;

/// A condition or a number, checked and ready to be worked out.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Number(f32),
    Truth(bool),
    Parameter(ParameterId),
    Not(Box<Self>),
    Minus(Box<Self>),
    Both(Operator, Box<Self>, Box<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
    Unequal,
    Plus,
    Minus,
    Times,
    Over,
}

/// What is wrong with an expression, and at which letter, counted from 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wrong {
    pub letter: usize,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Number,
    Truth,
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Truth => "a condition",
        }
    }
}

/// What parameters are worth while a condition is worked out.
pub(super) trait Values {
    fn number(&self, parameter: ParameterId) -> f32;
    /// Of a bool, or whether a trigger is set.
    fn truth(&self, parameter: ParameterId) -> bool;
}

impl Expression {
    /// Reads a condition.
    pub(super) fn condition(text: &str, parameters: &[Parameter]) -> Result<Self, Wrong> {
        if text.len() > LONGEST {
            return Err(Wrong { letter: 0, message: format!("longer than {LONGEST} letters") });
        }
        let mut parser = Parser { rest: text, letter: 0, parameters, depth: 0 };
        let (expression, kind) = parser.loose()?;
        parser.skip_space();
        if let Some(letter) = parser.rest.chars().next() {
            return Err(parser.wrong(format!("`{letter}` is not expected here")));
        }
        match kind {
            Type::Truth => Ok(expression),
            Type::Number => Err(Wrong {
                letter: 0,
                message: "this is a number, not a condition: compare it, as in `speed > 0.1`".to_owned(),
            }),
        }
    }

    /// Whether a condition holds. Nothing that has no value (as zero divided by zero) compares as true.
    pub(super) fn holds(&self, values: &(impl Values + ?Sized)) -> bool {
        match self {
            Self::Truth(truth) => *truth,
            Self::Parameter(parameter) => values.truth(*parameter),
            Self::Not(inner) => !inner.holds(values),
            Self::Both(operator, a, b) => match operator {
                Operator::Or => a.holds(values) || b.holds(values),
                Operator::And => a.holds(values) && b.holds(values),
                Operator::Less => a.number(values) < b.number(values),
                Operator::AtMost => a.number(values) <= b.number(values),
                Operator::More => a.number(values) > b.number(values),
                Operator::AtLeast => a.number(values) >= b.number(values),
                Operator::Equal => a.number(values) == b.number(values),
                Operator::Unequal => {
                    // NaN is unequal to nothing, so that it takes no transition.
                    a.number(values).partial_cmp(&b.number(values)).is_some_and(std::cmp::Ordering::is_ne)
                }
                Operator::Plus | Operator::Minus | Operator::Times | Operator::Over => false,
            },
            // Types were checked when it was read.
            Self::Number(_) | Self::Minus(_) => false,
        }
    }

    fn number(&self, values: &(impl Values + ?Sized)) -> f32 {
        match self {
            Self::Number(number) => *number,
            Self::Parameter(parameter) => values.number(*parameter),
            Self::Minus(inner) => -inner.number(values),
            Self::Both(operator, a, b) => {
                let (a, b) = (a.number(values), b.number(values));
                match operator {
                    Operator::Plus => a + b,
                    Operator::Minus => a - b,
                    Operator::Times => a * b,
                    Operator::Over => a / b,
                    _ => f32::NAN,
                }
            }
            Self::Truth(_) | Self::Not(_) => f32::NAN,
        }
    }

    /// Every parameter that it names, once for each time.
    pub(super) fn parameters(&self, found: &mut Vec<ParameterId>) {
        match self {
            Self::Number(_) | Self::Truth(_) => {}
            Self::Parameter(parameter) => found.push(*parameter),
            Self::Not(inner) | Self::Minus(inner) => inner.parameters(found),
            Self::Both(_, a, b) => {
                a.parameters(found);
                b.parameters(found);
            }
        }
    }
}

/// Words and signs of each level, the longer ones before those that they begin with.
const OR: &[(&str, Operator)] = &[("or", Operator::Or), ("||", Operator::Or)];
const AND: &[(&str, Operator)] = &[("and", Operator::And), ("&&", Operator::And)];
const COMPARE: &[(&str, Operator)] = &[
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<", Operator::Less),
    (">", Operator::More),
];
const SUM: &[(&str, Operator)] = &[("+", Operator::Plus), ("-", Operator::Minus)];
const PRODUCT: &[(&str, Operator)] = &[("*", Operator::Times), ("/", Operator::Over)];

struct Parser<'a> {
    rest: &'a str,
    /// Of the whole text, where the rest begins.
    letter: usize,
    parameters: &'a [Parameter],
    depth: usize,
}

type Typed = (Expression, Type);

impl<'a> Parser<'a> {
    fn loose(&mut self) -> Result<Typed, Wrong> {
        self.chain(OR, Type::Truth, |parser| parser.chain(AND, Type::Truth, Self::not))
    }

    fn not(&mut self) -> Result<Typed, Wrong> {
        self.skip_space();
        let at = self.letter;
        // `!=` is no beginning of anything.
        if !(self.word("not") || (!self.rest.starts_with("!=") && self.sign("!"))) {
            return self.comparison();
        }
        let inner = self.deeper(Self::not)?;
        Ok((Expression::Not(Box::new(of_type(inner, Type::Truth, at)?)), Type::Truth))
    }

    fn comparison(&mut self) -> Result<Typed, Wrong> {
        let start = self.letter;
        let first = self.sum()?;
        let Some(operator) = self.operator(COMPARE) else { return Ok(first) };
        let a = of_type(first, Type::Number, start)?;
        let start = self.letter;
        let b = of_type(self.sum()?, Type::Number, start)?;
        let at = self.letter;
        if self.operator(COMPARE).is_some() {
            let message = "comparisons do not chain: write `a < b and b < c`".to_owned();
            return Err(Wrong { letter: at, message });
        }
        Ok((Expression::Both(operator, Box::new(a), Box::new(b)), Type::Truth))
    }

    fn sum(&mut self) -> Result<Typed, Wrong> {
        self.chain(SUM, Type::Number, |parser| parser.chain(PRODUCT, Type::Number, Self::atom))
    }

    /// Parts of one type with operators of one level between them, from left to right.
    fn chain(
        &mut self,
        operators: &[(&str, Operator)],
        kind: Type,
        mut part: impl FnMut(&mut Self) -> Result<Typed, Wrong>,
    ) -> Result<Typed, Wrong> {
        self.skip_space();
        let mut start = self.letter;
        let mut whole = part(self)?;
        while let Some(operator) = self.operator(operators) {
            let a = of_type(whole, kind, start)?;
            self.skip_space();
            start = self.letter;
            let b = of_type(part(self)?, kind, start)?;
            whole = (Expression::Both(operator, Box::new(a), Box::new(b)), kind);
        }
        Ok(whole)
    }

    fn atom(&mut self) -> Result<Typed, Wrong> {
        self.skip_space();
        let at = self.letter;
        if self.sign("-") {
            let inner = of_type(self.deeper(Self::atom)?, Type::Number, at)?;
            return Ok((Expression::Minus(Box::new(inner)), Type::Number));
        }
        if self.sign("(") {
            let inner = self.deeper(Self::loose)?;
            self.skip_space();
            return if self.sign(")") { Ok(inner) } else { Err(self.wrong("a `)` is missing here")) };
        }
        match self.rest.chars().next() {
            Some(letter) if letter.is_ascii_digit() || letter == '.' => self.number(),
            Some(letter) if begins_name(letter) => self.name(),
            Some(letter) => Err(self.wrong(format!("`{letter}` is not expected here"))),
            None => Err(self.wrong("something is missing at the end")),
        }
    }

    fn number(&mut self) -> Result<Typed, Wrong> {
        let in_number = |c: char| c.is_ascii_digit() || c == '.' || c.is_ascii_alphabetic();
        let length = self.rest.find(|c| !in_number(c)).unwrap_or(self.rest.len());
        let text = &self.rest[..length];
        match text.parse::<f32>() {
            Ok(number) if number.is_finite() => {
                self.take(length);
                Ok((Expression::Number(number), Type::Number))
            }
            _ => Err(self.wrong(format!("`{text}` is not a number"))),
        }
    }

    fn name(&mut self) -> Result<Typed, Wrong> {
        let length = self.rest.find(|c| !in_name(c)).unwrap_or(self.rest.len());
        let name = &self.rest[..length];
        let typed = match name {
            "true" | "false" => (Expression::Truth(name == "true"), Type::Truth),
            "and" | "or" | "not" => return Err(self.wrong(format!("`{name}` is not expected here"))),
            name => {
                let found = self.parameters.iter().position(|parameter| parameter.name() == name);
                let Some(index) = found else {
                    let known = self.parameters.iter().map(Parameter::name);
                    return Err(
                        self.wrong(UnknownName::new("there is no parameter", name, known).to_string())
                    );
                };
                let kind = if self.parameters[index].is_number() { Type::Number } else { Type::Truth };
                (Expression::Parameter(ParameterId::new(index)), kind)
            }
        };
        self.take(length);
        Ok(typed)
    }

    fn operator(&mut self, among: &[(&str, Operator)]) -> Option<Operator> {
        self.skip_space();
        let found = among
            .iter()
            .find(|(text, _)| if text.starts_with(begins_name) { self.word(text) } else { self.sign(text) });
        found.map(|(_, operator)| *operator)
    }

    fn deeper(&mut self, part: impl FnOnce(&mut Self) -> Result<Typed, Wrong>) -> Result<Typed, Wrong> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong(format!("nested more than {DEEPEST} deep")));
        }
        let typed = part(self)?;
        self.depth -= 1;
        Ok(typed)
    }

    fn word(&mut self, word: &str) -> bool {
        let after = self.rest.strip_prefix(word).is_some_and(|rest| !rest.starts_with(in_name));
        after && self.sign(word)
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = self.rest.starts_with(sign);
        if found {
            self.take(sign.len());
        }
        found
    }

    fn skip_space(&mut self) {
        self.take(self.rest.len() - self.rest.trim_start().len());
    }

    fn take(&mut self, bytes: usize) {
        self.letter += self.rest[..bytes].chars().count();
        self.rest = &self.rest[bytes..];
    }

    fn wrong(&self, message: impl Into<String>) -> Wrong {
        Wrong { letter: self.letter, message: message.into() }
    }
}

fn of_type((expression, kind): Typed, wanted: Type, letter: usize) -> Result<Expression, Wrong> {
    if kind == wanted {
        return Ok(expression);
    }
    let message = format!("this is {}, where {} is needed", kind.name(), wanted.name());
    Err(Wrong { letter, message })
}

pub(super) fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

pub(super) fn in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    impl Values for Fixed {
        fn number(&self, parameter: ParameterId) -> f32 {
            [2.0, f32::NAN, 0.0][parameter.index()]
        }
        fn truth(&self, parameter: ParameterId) -> bool {
            parameter.index() == 1
        }
    }

    fn parameters() -> [Parameter; 3] {
        [Parameter::number("speed", 0.0), Parameter::flag("grounded", true), Parameter::trigger("jump", 0.0)]
    }

    fn holds(text: &str) -> bool {
        Expression::condition(text, &parameters())
            .unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"))
            .holds(&Fixed)
    }

    #[test]
    fn operators_bind_as_in_arithmetic() {
        // Speed is 2, grounded, no jump.
        for (text, expected) in [
            ("grounded", true),
            ("jump", false),
            ("not jump", true),
            ("!jump && grounded", true),
            ("jump or grounded and not jump", true),
            ("(jump or grounded) and jump", false),
            ("true or true and false", true),
            ("(true or true) and false", false),
            ("not true or true", true),
            ("not (true or true)", false),
            ("speed == 1 + 2 * 3 - 5", true),
            ("speed == (1 + 2) * 3 - 7", true),
            ("speed - 1 - 1 == 0", true),
            ("8 / speed / 2 == 2", true),
            ("-speed < -1.5", true),
            ("1 - -1 == speed", true),
            ("speed >= 2 and speed <= 2 and not speed != 2", true),
            ("speed<2||speed>2", false),
            ("speed != 3", true),
            ("speed == 2e0", true),
            // What has no value compares as nothing.
            ("0 / 0 == 0 / 0", false),
            ("0 / 0 != 1", false),
            ("speed / 0 > 1000", true),
        ] {
            assert_eq!(holds(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_letter() {
        for (text, letter, says) in [
            ("sped > 1", 0, "did you mean `speed`?"),
            ("speed", 0, "not a condition"),
            ("speed > ", 8, "missing at the end"),
            ("", 0, "missing at the end"),
            ("grounded and (speed > 1", 23, "`)` is missing"),
            ("grounded > 1", 0, "this is a condition, where a number is needed"),
            ("jump or speed", 8, "this is a number, where a condition is needed"),
            ("1 < speed < 3", 10, "do not chain"),
            ("speed > 1 grounded", 10, "`g` is not expected"),
            ("speed > 1..2", 8, "`1..2` is not a number"),
            ("speed > 1e99", 8, "is not a number"),
            ("ä and # jump", 0, "there is no parameter `ä`"),
            ("jump and # jump", 9, "`#` is not expected"),
            ("and jump", 0, "`and` is not expected"),
            ("not speed", 0, "where a condition is needed"),
            ("-grounded > 1", 0, "where a number is needed"),
        ] {
            let wrong = Expression::condition(text, &parameters()).unwrap_err();
            assert!(wrong.message.contains(says), "{text}: {}", wrong.message);
            assert_eq!(wrong.letter, letter, "{text}: {}", wrong.message);
        }
        let deep = "(".repeat(1_000);
        let wrong = Expression::condition(&deep, &parameters()).unwrap_err();
        assert!(wrong.message.contains("more than 32 deep"), "{}", wrong.message);
        assert!(Expression::condition(&"not ".repeat(400), &parameters()).is_err());
        assert!(Expression::condition(&"-".repeat(1_000), &parameters()).is_err());
        assert!(Expression::condition(&"jump and ".repeat(1_000), &parameters()).is_err());
    }
}
