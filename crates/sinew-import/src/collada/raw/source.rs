//! Arrays and how they are read as rows.

use super::Document;
use crate::Cause;
use crate::collada::xml::Element;
use crate::number;

/// A `<source>`: an array and the accessor that cuts it into rows.
#[derive(Clone, Copy, Debug)]
pub struct Source<'d> {
    /// The element itself.
    pub element: Element<'d>,
    /// The array in it.
    pub array: Option<Element<'d>>,
    accessor: Option<Element<'d>>,
}

fn is_array(element: &Element<'_>) -> bool {
    matches!(
        element.name(),
        "float_array" | "int_array" | "Name_array" | "IDREF_array" | "SIDREF_array" | "bool_array"
    )
}

impl<'d> Source<'d> {
    pub(super) fn read(element: Element<'d>) -> Self {
        let accessor = element.child("technique_common").and_then(|t| t.child("accessor"));
        Self { element, array: element.children().find(is_array), accessor }
    }

    /// The array that it reads: its own, unless the accessor names that of another source.
    fn array(&self, document: &Document<'d>) -> Option<Element<'d>> {
        let named = self.accessor.and_then(|a| a.reference("source"));
        match (self.array, named) {
            (Some(own), None) => Some(own),
            (Some(own), Some(id)) if own.attribute("id") == Some(id) => Some(own),
            (own, Some(id)) => document.arrays.get(id).copied().or(own),
            (None, None) => None,
        }
    }

    /// Its rows of numbers.
    pub fn table(&self, document: &Document<'d>) -> Result<Table, Cause> {
        let Some(array) = self.array(document) else {
            return Err(self.element.error("the source has no array"));
        };
        let values = floats(array)?;
        let offset = self.accessor.and_then(|a| a.number("offset")).unwrap_or(0);
        let stride = self.accessor.and_then(|a| a.number("stride")).unwrap_or(1).max(1);
        let there = values.len().saturating_sub(offset) / stride;
        let count = self.accessor.and_then(|a| a.number("count")).unwrap_or(there).min(there);
        let mut table = Table { values, offset, stride, count };
        if let Some(columns) = self.named_columns() {
            self.element.budget().list::<f64>(count.saturating_mul(columns.len()))?;
            table.select(&columns);
        }
        Ok(table)
    }

    /// Columns whose parameters have a name, if some have and others have not: those without are to be skipped. (Some exporters
    /// name none at all.)
    fn named_columns(&self) -> Option<Vec<usize>> {
        let names = self.accessor?.all("param").map(|p| p.attribute("name").is_some_and(|n| !n.is_empty()));
        let named = names.collect::<Vec<_>>();
        let columns = (0..named.len()).filter(|&i| named.get(i) == Some(&true)).collect::<Vec<_>>();
        (!columns.is_empty() && columns.len() < named.len()).then_some(columns)
    }

    /// Its words: names or ids.
    pub fn words(&self, document: &Document<'d>) -> impl Iterator<Item = &'d str> + use<'d> {
        self.array(document).into_iter().flat_map(words)
    }

    /// Whether its words are ids.
    pub fn has_ids(&self) -> bool {
        self.array.is_some_and(|a| a.name() == "IDREF_array")
    }
}

/// Rows of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    values: Vec<f64>,
    offset: usize,
    stride: usize,
    count: usize,
}

impl Table {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Numbers per row.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// One row.
    #[inline]
    pub fn row(&self, index: usize) -> Option<&[f64]> {
        if index >= self.count {
            return None;
        }
        // Within the array, as the count was measured by it.
        let start = self.offset + index * self.stride;
        self.values.get(start..start + self.stride)
    }

    /// All rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        let used = self.values.get(self.offset..).unwrap_or_default();
        used.chunks_exact(self.stride.max(1)).take(self.count)
    }

    /// All numbers, row after row.
    pub fn into_values(mut self) -> Vec<f64> {
        if self.offset > 0 {
            self.values.drain(..self.offset.min(self.values.len()));
        }
        self.values.truncate(self.count * self.stride);
        self.values
    }

    fn select(&mut self, columns: &[usize]) {
        let values = self.rows().flat_map(|row| columns.iter().map(|&c| row.get(c).copied().unwrap_or(0.0)));
        let values = values.collect();
        *self = Self { values, offset: 0, stride: columns.len(), count: self.count };
    }
}

/// The numbers in an element.
pub fn floats(element: Element<'_>) -> Result<Vec<f64>, Cause> {
    // Numbers are rarely shorter than four characters and a space.
    numbers(element, 8, number::floats(element.text()))
}

/// The whole numbers in an element.
pub fn integers(element: Element<'_>) -> Result<Vec<i32>, Cause> {
    numbers(element, 4, number::integers(element.text()))
}

/// Numbers of so many characters, at a guess, in a list that is counted.
fn numbers<'d, T>(
    element: Element<'d>,
    characters: usize,
    numbers: impl Iterator<Item = Result<T, number::BadNumber<'d>>>,
) -> Result<Vec<T>, Cause> {
    let (budget, capacity) = (element.budget(), element.text().len() / characters);
    budget.list::<T>(capacity)?;
    let mut values = Vec::with_capacity(capacity);
    for value in numbers {
        budget.push(&mut values, value.map_err(|bad| not_a_number(element, bad))?)?;
    }
    Ok(values)
}

/// The words in an element.
pub fn words(element: Element<'_>) -> impl Iterator<Item = &str> {
    element.text().split_ascii_whitespace()
}

fn not_a_number(element: Element<'_>, bad: number::BadNumber<'_>) -> Cause {
    element.error(format!("`{}` is not a number", bad.word))
}
