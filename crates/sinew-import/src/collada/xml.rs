//! The document as a tree of elements that borrow from its text.
//!
//! Almost all bytes of a COLLADA file are numbers inside few elements, so a tree is cheap, and the layers
//! above can read a document in any order. Entities are never expanded.

use crate::{Budget, Cause, limits};
use quick_xml::events::attributes::Attributes;
use quick_xml::events::{BytesRef, Event};
use quick_xml::{Reader, XmlVersion};
use std::borrow::Cow;

/// A parsed document. Elements lie in document order, each before its children.
pub struct Xml<'a> {
    text: &'a str,
    elements: Vec<Node<'a>>,
    attributes: Vec<(&'a str, Cow<'a, str>)>,
    budget: &'a Budget<'a>,
}

struct Node<'a> {
    name: &'a str,
    /// Range into the attributes.
    attributes: [u32; 2],
    /// Character data of the element itself.
    text: Cow<'a, str>,
    /// Index of the element behind its last descendant.
    end: u32,
    /// Where the element starts in the text.
    offset: usize,
}

/// One element of a document.
#[derive(Clone, Copy)]
pub struct Element<'d> {
    xml: &'d Xml<'d>,
    index: u32,
}

impl<'a> Xml<'a> {
    /// Reads a document; one that is cut off or badly nested is an error that says where. It and all that is read from it later is
    /// counted in the budget.
    pub fn parse(text: &'a str, budget: &'a Budget<'a>) -> Result<Self, Cause> {
        let mut builder = Builder {
            xml: Self { text, elements: Vec::new(), attributes: Vec::new(), budget },
            open: Vec::new(),
        };
        let mut reader = Reader::from_str(text);
        loop {
            let start = position(reader.buffer_position());
            let event = reader
                .read_event()
                .map_err(|e| builder.error(e.to_string(), position(reader.error_position())))?;
            let end = position(reader.buffer_position());
            match event {
                Event::Start(_) => builder.open(start, end)?,
                Event::Empty(_) => {
                    builder.open(start, end)?;
                    builder.close();
                }
                Event::End(_) => builder.close(),
                Event::Text(chars) => builder.push(chars.into_inner())?,
                Event::CData(chars) => builder.push(chars.into_inner())?,
                Event::GeneralRef(reference) => builder.push_reference(&reference, start)?,
                Event::Eof => return builder.finish(),
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_) => {}
            }
        }
    }

    /// The outermost element.
    pub fn root(&self) -> Option<Element<'_>> {
        (!self.elements.is_empty()).then_some(Element { xml: self, index: 0 })
    }
}

struct Builder<'a> {
    xml: Xml<'a>,
    /// Elements that are not closed yet.
    open: Vec<u32>,
}

impl<'a> Builder<'a> {
    fn open(&mut self, start: usize, end: usize) -> Result<(), Cause> {
        let depth = self.open.len() as u64;
        // A node nests one element deep; the rest is what lies around the nodes and in them.
        limits::check("depth", depth, self.xml.budget.limits().allowed_depth().saturating_add(32))?;
        if depth == 0 && !self.xml.elements.is_empty() {
            return Err(self.error("there is more than one outermost element", start));
        }
        let tag = self.xml.text.get(start..end).unwrap_or_default();
        let tag = tag.strip_prefix('<').unwrap_or(tag);
        let tag = tag.strip_suffix('>').map_or(tag, |tag| tag.strip_suffix('/').unwrap_or(tag));
        let name = tag.split([' ', '\t', '\r', '\n']).next().unwrap_or_default();
        let first = self.xml.attributes.len() as u32;
        self.read_attributes(tag, name.len(), start)?;
        let last = self.xml.attributes.len() as u32;
        let index = self.xml.elements.len() as u32;
        let name = name.rsplit_once(':').map_or(name, |(_, local)| local);
        let node = Node {
            name,
            attributes: [first, last],
            text: Cow::Borrowed(""),
            end: index.saturating_add(1),
            offset: start,
        };
        self.xml.budget.push(&mut self.xml.elements, node)?;
        self.open.push(index);
        Ok(())
    }

    fn read_attributes(&mut self, tag: &'a str, name_length: usize, start: usize) -> Result<(), Cause> {
        // Looking for duplicates would be quadratic; of two the first is taken.
        for attribute in Attributes::new(tag, name_length).with_checks(false) {
            let attribute = attribute.map_err(|e| self.error(e.to_string(), start))?;
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|e| self.error(e.to_string(), start))?;
            if let Cow::Owned(value) = &value {
                self.xml.budget.memory(value.capacity() as u64)?;
            }
            self.xml.budget.push(&mut self.xml.attributes, (attribute.key.into_inner(), value))?;
        }
        Ok(())
    }

    fn close(&mut self) {
        let end = self.xml.elements.len() as u32;
        if let Some(element) = self.open.pop().and_then(|i| self.xml.elements.get_mut(i as usize)) {
            element.end = end;
        }
    }

    fn push(&mut self, text: Cow<'a, str>) -> Result<(), Cause> {
        let Some(element) = self.open.last().and_then(|&i| self.xml.elements.get_mut(i as usize)) else {
            return Ok(());
        };
        // Most text is white space between elements: it is not kept.
        if element.text.is_empty() {
            if !text.trim_ascii_start().is_empty() {
                element.text = text;
            }
            return Ok(());
        }
        // A text in several pieces is a copy, which grows by doubling.
        let copied = if let Cow::Borrowed(first) = element.text { first.len() } else { 0 };
        self.xml.budget.memory(2 * (copied + text.len()) as u64)?;
        element.text.to_mut().push_str(&text);
        Ok(())
    }

    fn push_reference(&mut self, reference: &BytesRef<'a>, start: usize) -> Result<(), Cause> {
        let resolved = match &**reference {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "apos" => Some('\''),
            "quot" => Some('"'),
            _ => reference.resolve_char_ref().map_err(|e| self.error(e.to_string(), start))?,
        };
        match resolved {
            Some(character) => self.push(Cow::Owned(character.to_string())),
            None => {
                let what = format!("the entity `&{};` is not expanded", &**reference);
                Err(self.error(what, start))
            }
        }
    }

    fn finish(self) -> Result<Xml<'a>, Cause> {
        if let Some(element) = self.open.last().and_then(|&i| self.xml.elements.get(i as usize)) {
            let what = format!("the document ends inside `<{}>`", element.name);
            return Err(self.error(what, element.offset));
        }
        if self.xml.elements.is_empty() {
            return Err(self.error("the document has no elements", 0));
        }
        Ok(self.xml)
    }

    fn error(&self, what: impl Into<String>, offset: usize) -> Cause {
        let inside = self.open.last().map(|&index| place(Element { xml: &self.xml, index }));
        let mut at = format!("line {}", line(self.xml.text, offset));
        if let Some(inside) = inside {
            at.push_str(", inside ");
            at.push_str(&inside);
        }
        Cause::malformed(what, at)
    }
}

fn position(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// Number of the line that an offset lies on, from one.
fn line(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset.min(text.len())).unwrap_or_default();
    before.iter().filter(|&&b| b == b'\n').count() + 1
}

fn place(element: Element<'_>) -> String {
    let named = ["id", "sid", "name"].into_iter().find_map(|key| Some((key, element.attribute(key)?)));
    match named {
        Some((key, value)) => format!("`<{} {key}=\"{value}\">`", element.name()),
        None => format!("`<{}>`", element.name()),
    }
}

impl std::fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&place(*self))
    }
}

impl<'d> Element<'d> {
    /// What is read from the document is counted in this.
    pub(crate) fn budget(&self) -> &'d Budget<'d> {
        self.xml.budget
    }

    fn node(&self) -> Option<&'d Node<'d>> {
        self.xml.elements.get(self.index as usize)
    }

    /// Name without a namespace.
    pub fn name(&self) -> &'d str {
        self.node().map_or("", |node| node.name)
    }

    /// Value of an attribute.
    pub fn attribute(&self, key: &str) -> Option<&'d str> {
        let [first, last] = self.node()?.attributes;
        let attributes = self.xml.attributes.get(first as usize..last as usize)?;
        attributes.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_ref())
    }

    /// Value of an attribute that is a number.
    pub fn number(&self, key: &str) -> Option<usize> {
        self.attribute(key)?.trim().parse().ok()
    }

    /// Value of an attribute that refers to an id in this document: what follows the `#`.
    pub fn reference(&self, key: &str) -> Option<&'d str> {
        self.attribute(key).map(local_id)
    }

    /// Character data of the element itself.
    pub fn text(&self) -> &'d str {
        self.node().map_or("", |node| &node.text)
    }

    /// Its children in order.
    pub fn children(&self) -> impl Iterator<Item = Self> + use<'d> {
        let xml = self.xml;
        let end = self.node().map_or(0, |node| node.end);
        let mut next = self.index.saturating_add(1);
        std::iter::from_fn(move || {
            let index = (next < end).then_some(next)?;
            next = xml.elements.get(index as usize)?.end;
            Some(Self { xml, index })
        })
    }

    /// Its children of one name.
    pub fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = Self> + use<'d, 'n> {
        self.children().filter(move |child| child.name() == name)
    }

    /// Its first child of a name.
    pub fn child(&self, name: &str) -> Option<Self> {
        self.all(name).next()
    }

    /// It and all that lies in it, in document order.
    pub fn descendants(&self) -> impl Iterator<Item = Self> + use<'d> {
        let (xml, end) = (self.xml, self.node().map_or(0, |node| node.end));
        (self.index..end).map(move |index| Self { xml, index })
    }

    /// Where it is, for messages: its line and its id.
    pub fn place(&self) -> String {
        let offset = self.node().map_or(0, |node| node.offset);
        format!("line {}, {}", line(self.xml.text, offset), place(*self))
    }

    /// A malformed-content error at this element.
    pub fn error(&self, what: impl Into<String>) -> Cause {
        Cause::malformed(what, self.place())
    }
}

/// What follows the `#` of a reference; a reference without one is taken as it is.
pub fn local_id(reference: &str) -> &str {
    reference.split_once('#').map_or(reference, |(_, id)| id).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    fn parse(text: &str) -> Result<Xml<'_>, Cause> {
        Xml::parse(text, Box::leak(Box::new(Budget::new(&Limits::default()))))
    }

    #[test]
    fn elements_attributes_and_text() {
        let xml = parse("<?xml version='1.0'?><!DOCTYPE a><c:a x='1 &amp; 2' y=\"\">\n<b>1<!-- no --> 2</b><b/>&lt;t&#62;<d><![CDATA[<3]]></d></c:a>").unwrap();
        let root = xml.root().unwrap();
        assert_eq!(root.name(), "a");
        assert_eq!(root.attribute("x"), Some("1 & 2"));
        assert_eq!(root.attribute("y"), Some(""));
        assert_eq!(root.text(), "<t>");
        assert_eq!(root.all("b").map(|b| b.text()).collect::<Vec<_>>(), ["1 2", ""]);
        assert_eq!(root.child("d").unwrap().text(), "<3");
        assert_eq!(root.descendants().count(), 4);
    }

    #[test]
    fn errors_say_where() {
        let message = |text: &str| parse(text).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message("<a>\n<b id='x'>\n</a>").contains("line 3, inside `<b id=\"x\">`"));
        assert!(message("<a>\n<b").contains("line 2"));
        assert!(message("<a><b>").contains("ends inside `<b>`"));
        assert!(message("").contains("no elements"));
        assert!(message("<a/><b/>").contains("outermost"));
        assert!(message("<!DOCTYPE a [<!ENTITY e 'boom'>]><a>&e;</a>").contains("`&e;`"));
        assert!(!message("<!DOCTYPE a [<!ENTITY e 'boom'>]><a b='&e;'/>").is_empty());
    }

    #[test]
    fn depth_is_bounded() {
        let text = "<a>".repeat(5000);
        assert!(matches!(parse(&text), Err(Cause::Limit { name: "depth", .. })));
        // Whatever the limit is.
        let budget = Budget::new(&Limits::UNLIMITED);
        assert!(matches!(Xml::parse(&text, &budget), Err(Cause::Limit { name: "depth", .. })));
    }
}
