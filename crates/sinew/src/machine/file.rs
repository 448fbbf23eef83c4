//! A machine as a TOML file. Every name keeps its line and column, for the errors of later checks too.

use super::MachineError;
use super::define::{
    Definition, Graph, Interrupt, Layer, LayerBlend, MaskRule, Motion, Space, State, Transition,
};
use super::parameter::{Amount, Parameter, Word};
use crate::names::did_you_mean;
use crate::{Ease, LoopMode, RootMotion, SyncMode};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Result<T> = std::result::Result<T, MachineError>;

/// Reads a file's text; names are not looked up yet.
pub(super) fn read(text: &str) -> Result<Definition> {
    let document = parse(text)?;
    let root = Table::new(Source { text }, document.get_ref(), document.span());
    root.only(&["parameters", "layers", "machines"])?;
    let mut definition = Definition::new();
    for (name, value) in root.members("parameters")? {
        definition.parameters.push(parameter(name, value)?);
    }
    for value in root.list("layers")? {
        definition.layers.push(layer(&value.table()?)?);
    }
    for (name, value) in root.members("machines")? {
        let table = value.table()?;
        table.only(&["start", "states", "transitions"])?;
        definition.machines.push((name, graph(&table)?));
    }
    Ok(definition)
}

/// Reads a mask that stands alone.
pub(crate) fn read_mask(text: &str) -> Result<MaskRule> {
    let document = parse(text)?;
    mask_table(&Table::new(Source { text }, document.get_ref(), document.span()))
}

fn parse(text: &str) -> Result<Spanned<DeTable<'_>>> {
    DeTable::parse(text).map_err(|error| {
        let at = error.span().map(|span| Source { text }.at(span.start));
        MachineError::new(at, "", error.message())
    })
}

fn parameter(name: Word, value: Value<'_>) -> Result<Parameter> {
    match value.value {
        DeValue::Boolean(start) => Ok(Parameter::flag(name, *start)),
        DeValue::Integer(_) | DeValue::Float(_) => Ok(Parameter::number(name, value.number()? as f32)),
        DeValue::String(text) if text == "trigger" => Ok(Parameter::trigger(name, 0.0)),
        DeValue::Table(_) => {
            let table = value.table()?;
            table.only(&["trigger", "hold"])?;
            match table.get("trigger").map(|value| value.value) {
                Some(DeValue::Boolean(true)) => {
                    Ok(Parameter::trigger(name, table.number("hold")?.unwrap_or(0.0) as f32))
                }
                _ => value.wrong("a table is a trigger: `{ trigger = true, hold = 0.2 }`"),
            }
        }
        _ => value
            .wrong("a parameter is a number, true or false, \"trigger\" or { trigger = true, hold = 0.2 }"),
    }
}

fn layer(table: &Table<'_>) -> Result<Layer> {
    table.only(&[
        "name",
        "start",
        "states",
        "transitions",
        "mask",
        "weight",
        "blend",
        "reference",
        "time",
    ])?;
    let mut layer = Layer::new(table.needed("name")?, graph(table)?);
    if let Some(weight) = table.get("weight") {
        layer.weight = amount(&weight)?;
    }
    layer.mask = table.get("mask").map(|mask| mask_rule(&mask)).transpose()?;
    let additive = table.choice("blend", &[("override", false), ("additive", true)])?.unwrap_or(false);
    let reference = table.word("reference")?;
    let time = table.number("time")?;
    layer.blend = match (additive, reference) {
        (true, Some(clip)) => LayerBlend::AdditiveTo(clip, time.unwrap_or(0.0)),
        (true, None) => LayerBlend::Additive,
        (false, Some(clip)) => {
            let message = "a reference is for layers with `blend = \"additive\"`";
            return Err(MachineError::new(clip.at, "", message));
        }
        (false, None) => LayerBlend::Override,
    };
    Ok(layer)
}

fn mask_rule(value: &Value<'_>) -> Result<MaskRule> {
    if !matches!(value.value, DeValue::Table(_)) {
        return Ok(MaskRule { below: value.words()?, ..MaskRule::default() });
    }
    mask_table(&value.table()?)
}

fn mask_table(table: &Table<'_>) -> Result<MaskRule> {
    table.only(&["below", "without", "falloff", "scalars"])?;
    let words = |key: &str| table.get(key).map_or(Ok(Vec::new()), |value| value.words());
    let falloff = match table.get("falloff") {
        None => 0,
        Some(value) => match value.number()? {
            joints if (0.0..=f64::from(u16::MAX)).contains(&joints) && joints.fract() == 0.0 => joints as u16,
            _ => return value.wrong("falloff is a number of joints"),
        },
    };
    let scalars = table.number("scalars")?.unwrap_or(1.0) as f32;
    Ok(MaskRule { below: words("below")?, without: words("without")?, falloff, scalars })
}

fn graph(table: &Table<'_>) -> Result<Graph> {
    let mut graph = Graph::new(table.needed("start")?);
    for (name, value) in table.members("states")? {
        graph.states.push(state(name, &value)?);
    }
    for value in table.list("transitions")? {
        graph.transitions.push(transition(&value)?);
    }
    Ok(graph)
}

fn state(name: Word, value: &Value<'_>) -> Result<State> {
    let table = value.table()?;
    table.only(&["clip", "by", "points", "machine", "speed", "loop", "root-motion", "sync"])?;
    let motions = ["clip", "by", "machine"].map(|key| table.get(key).is_some());
    if motions.iter().filter(|given| **given).count() > 1 {
        return value.wrong("a state plays one thing: `clip`, a blend space `by` parameters, or a `machine`");
    }
    let mut state = State::empty(name);
    if let Some(clip) = table.word("clip")? {
        state.motion = Motion::Clip(clip);
    } else if let Some(machine) = table.word("machine")? {
        state.motion = Motion::Machine(machine);
    } else if let Some(by) = table.get("by") {
        state.motion = Motion::Space(Space { by: by.words()?, points: points(&table)? });
    } else if let Some(points) = table.get("points") {
        return points.wrong("points belong to a blend space: say `by` which parameter it goes");
    }
    state.speed = table.get("speed").map(|speed| amount(&speed)).transpose()?;
    state.mode = match table.get("loop").map(|value| (value, value.value)) {
        None => None,
        Some((_, DeValue::Boolean(loops))) => Some(if *loops { LoopMode::Loop } else { LoopMode::Once }),
        Some((_, DeValue::String(word))) if word == "ping-pong" => Some(LoopMode::PingPong),
        Some((value, _)) => return value.wrong("loop is true, false or \"ping-pong\""),
    };
    state.root_motion = table.choice(
        "root-motion",
        &[("keep", RootMotion::Keep), ("in-place", RootMotion::InPlace), ("extract", RootMotion::Extract)],
    )?;
    state.sync = table.choice(
        "sync",
        &[("markers", SyncMode::Markers), ("phase", SyncMode::Phase), ("none", SyncMode::None)],
    )?;
    Ok(state)
}

fn points(table: &Table<'_>) -> Result<Vec<([f32; 2], Word)>> {
    let point = |value: Value<'_>| {
        let point = value.table()?;
        point.only(&["at", "clip"])?;
        let Some(at) = point.get("at") else { return value.wrong("`at` is missing") };
        let place = match at.value {
            DeValue::Array(_) => match &at.items()?[..] {
                [x, y] => [x.number()? as f32, y.number()? as f32],
                _ => return at.wrong("a place is a number or two: `[0, 1.4]`"),
            },
            _ => [at.number()? as f32, 0.0],
        };
        Ok((place, point.needed("clip")?))
    };
    table.list("points")?.into_iter().map(point).collect()
}

fn transition(value: &Value<'_>) -> Result<Transition> {
    let table = value.table()?;
    table.only(&["from", "to", "when", "after", "fade", "ease", "kind", "interrupt"])?;
    let Some(from) = table.get("from") else { return value.wrong("`from` is missing") };
    let mut transition = Transition::new("", table.needed("to")?);
    (transition.from, transition.at) = (from.words()?, Some(value.at()));
    transition.when = table.word("when")?;
    transition.after = table.number("after")?;
    transition.fade = table.number("fade")?.unwrap_or(0.0);
    let eases = [("linear", Ease::Linear), ("smooth-step", Ease::SmoothStep)];
    transition.ease = table.choice("ease", &eases)?.unwrap_or_default();
    let kinds = [("crossfade", crate::Transition::Crossfade), ("inertial", crate::Transition::Inertial)];
    transition.kind = table.choice("kind", &kinds)?.unwrap_or_default();
    let interrupts = [
        ("none", Interrupt::None),
        ("source", Interrupt::Source),
        ("target", Interrupt::Target),
        ("any", Interrupt::Any),
    ];
    transition.interrupt = table.choice("interrupt", &interrupts)?.unwrap_or_default();
    Ok(transition)
}

fn amount(value: &Value<'_>) -> Result<Amount> {
    match value.value {
        DeValue::String(_) => value.word().map(Amount::Parameter),
        _ => value.number().map(|number| Amount::Fixed(number as f32)),
    }
}

#[derive(Clone, Copy)]
struct Source<'a> {
    text: &'a str,
}

impl Source<'_> {
    /// Line and column of a byte, both from 1.
    fn at(self, byte: usize) -> (usize, usize) {
        let before = &self.text[..byte.min(self.text.len())];
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
    }
}

#[derive(Clone, Copy)]
struct Value<'a> {
    source: Source<'a>,
    value: &'a DeValue<'a>,
    start: usize,
}

impl<'a> Value<'a> {
    fn new(source: Source<'a>, value: &'a Spanned<DeValue<'a>>) -> Self {
        Self { source, value: value.get_ref(), start: value.span().start }
    }

    fn at(&self) -> (usize, usize) {
        self.source.at(self.start)
    }

    fn wrong<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(MachineError::new(Some(self.at()), "", message))
    }

    fn table(&self) -> Result<Table<'a>> {
        match self.value {
            DeValue::Table(table) => Ok(Table::new(self.source, table, self.start..self.start)),
            other => self.wrong(format!("a table is needed here, not {}", article(other))),
        }
    }

    fn items(&self) -> Result<Vec<Value<'a>>> {
        match self.value {
            DeValue::Array(items) => Ok(items.iter().map(|item| Value::new(self.source, item)).collect()),
            other => self.wrong(format!("a list is needed here, not {}", article(other))),
        }
    }

    fn number(&self) -> Result<f64> {
        let parsed = match self.value {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        match parsed {
            Some(number) => Ok(number),
            None => self.wrong(format!("a number is needed here, not {}", article(self.value))),
        }
    }

    /// A text, with the place of its first letter.
    fn word(&self) -> Result<Word> {
        let DeValue::String(text) = self.value else {
            return self.wrong(format!("a text is needed here, not {}", article(self.value)));
        };
        let quoted = &self.source.text[self.start..];
        let quotes = ["\"\"\"", "'''", "\"", "'"];
        let quotes =
            quotes.iter().find(|quotes| quoted.starts_with(**quotes)).map_or(0, |quotes| quotes.len());
        Ok(Word { text: text.to_string(), at: Some(self.source.at(self.start + quotes)) })
    }

    /// One text, or a list of them.
    fn words(&self) -> Result<Vec<Word>> {
        match self.value {
            DeValue::Array(_) => self.items()?.iter().map(Value::word).collect(),
            _ => Ok(vec![self.word()?]),
        }
    }
}

fn article(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

struct Table<'a> {
    source: Source<'a>,
    table: &'a DeTable<'a>,
    span: Range<usize>,
}

impl<'a> Table<'a> {
    fn new(source: Source<'a>, table: &'a DeTable<'a>, span: Range<usize>) -> Self {
        Self { source, table, span }
    }

    /// An error at the first key that is none of these.
    fn only(&self, known: &[&str]) -> Result<()> {
        let mut unknown: Vec<_> =
            self.table.keys().filter(|key| !known.contains(&&**key.get_ref())).collect();
        unknown.sort_by_key(|key| key.span().start);
        match unknown.first() {
            None => Ok(()),
            Some(key) => {
                let name = key.get_ref();
                let hint = did_you_mean(name, known.iter().copied());
                let at = self.source.at(key.span().start);
                Err(MachineError::new(Some(at), "", format!("there is no key `{name}`; {hint}")))
            }
        }
    }

    fn get(&self, key: &str) -> Option<Value<'a>> {
        self.table.get(key).map(|value| Value::new(self.source, value))
    }

    /// Keys and values of a table, in the order of the file; none if it is not there.
    fn members(&self, key: &str) -> Result<Vec<(Word, Value<'a>)>> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let table = value.table()?;
        let mut members: Vec<_> = table.table.iter().collect();
        members.sort_by_key(|(name, _)| name.span().start);
        let word = |name: &Spanned<_>| Word {
            text: ToString::to_string(name.get_ref() as &std::borrow::Cow<'_, str>),
            at: Some(self.source.at(name.span().start)),
        };
        Ok(members.into_iter().map(|(name, value)| (word(name), Value::new(self.source, value))).collect())
    }

    /// Items of a list; none if it is not there.
    fn list(&self, key: &str) -> Result<Vec<Value<'a>>> {
        self.get(key).map_or(Ok(Vec::new()), |value| value.items())
    }

    fn number(&self, key: &str) -> Result<Option<f64>> {
        self.get(key).map(|value| value.number()).transpose()
    }

    fn word(&self, key: &str) -> Result<Option<Word>> {
        self.get(key).map(|value| value.word()).transpose()
    }

    fn needed(&self, key: &str) -> Result<Word> {
        let missing =
            || MachineError::new(Some(self.source.at(self.span.start)), "", format!("`{key}` is missing"));
        self.word(key)?.ok_or_else(missing)
    }

    /// One of several words.
    fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Result<Option<T>> {
        let Some(word) = self.word(key)? else { return Ok(None) };
        match choices.iter().find(|(name, _)| *name == &*word) {
            Some((_, choice)) => Ok(Some(*choice)),
            None => {
                let hint = did_you_mean(&word, choices.iter().map(|(name, _)| *name));
                Err(MachineError::new(word.at, "", format!("`{word}` is no {key}; {hint}")))
            }
        }
    }
}
