//! Where boxes, arrows and labels of one panel go: columns by the number of steps from the start, arrows between them as curves, labels where they do not
//! cover each other.

use super::{NodeKind, Panel};

/// Sizes in pixels. A letter is taken to be so wide on average.
const LETTER: f32 = 6.6;
const BOX: f32 = 44.0;
const PORT: f32 = 24.0;
const BETWEEN_ROWS: f32 = 34.0;
const LABEL: f32 = 17.0;
/// How far arrows within one column bulge.
const BULGE: f32 = 46.0;
pub(super) const TITLE: f32 = 40.0;
const EDGE: f32 = 28.0;

pub(super) struct Layout {
    pub size: [f32; 2],
    /// Left, top, width and height of each node.
    pub boxes: Vec<[f32; 4]>,
    pub curves: Vec<Curve>,
}

/// An arrow: the four points of a cubic curve, and the middle of its label.
pub(super) struct Curve {
    pub points: [[f32; 2]; 4],
    pub label: [f32; 2],
}

/// Sides of a box.
const LEFT: usize = 0;
const RIGHT: usize = 1;

pub(super) fn text_width(text: &str) -> f32 {
    text.chars().count() as f32 * LETTER
}

pub(super) fn layout(panel: &Panel) -> Layout {
    let column = columns(panel);
    let rows = rows(panel, &column);
    let ports = Ports::new(panel, &column, &rows);
    let boxes = boxes(panel, &column, &rows, &ports);
    let mut curves: Vec<Curve> =
        (0..panel.arrows.len()).map(|arrow| curve(panel, arrow, &column, &ports, &boxes)).collect();
    spread_labels(panel, &mut curves, &boxes);
    let mut size = [text_width(&panel.title) * 1.2 + 2.0 * EDGE, 0.0];
    for [x, y, width, height] in &boxes {
        size = [size[0].max(x + width + EDGE), size[1].max(y + height + EDGE)];
    }
    for (curve, arrow) in curves.iter().zip(&panel.arrows) {
        let right = curve.points.iter().map(|point| point[0]).fold(0.0, f32::max);
        let label = curve.label[0] + label_width(&arrow.label) / 2.0;
        size = [size[0].max(right + EDGE).max(label + EDGE), size[1].max(curve.label[1] + LABEL + EDGE)];
    }
    Layout { size, boxes, curves }
}

pub(super) fn label_width(label: &str) -> f32 {
    // The number before it, and a margin.
    text_width(label) * 0.92 + 30.0
}

/// Steps from the start; states that only `any` leads to are one step away, others that are not reached two.
fn columns(panel: &Panel) -> Vec<usize> {
    let mut column: Vec<Option<usize>> = panel
        .nodes
        .iter()
        .map(|node| matches!(node.kind, NodeKind::Start | NodeKind::Any).then_some(0))
        .collect();
    for step in 0..panel.nodes.len() {
        for arrow in &panel.arrows {
            if column[arrow.from] == Some(step) && column[arrow.to].is_none() {
                column[arrow.to] = Some(step + 1);
            }
        }
    }
    column.into_iter().map(|column| column.unwrap_or(2)).collect()
}

/// Row of each node within its column: near the rows of those that it has arrows with.
fn rows(panel: &Panel, column: &[usize]) -> Vec<usize> {
    let last = column.iter().copied().max().unwrap_or(0);
    let mut rows = vec![0; column.len()];
    let members = |of: usize| (0..column.len()).filter(|node| column[*node] == of).collect::<Vec<_>>();
    for of in 0..=last {
        members(of).into_iter().enumerate().for_each(|(row, node)| rows[node] = row);
    }
    for of in (1..=last).chain((0..last).rev()).chain(1..=last) {
        let mean = |node: usize| {
            let mut sum = (0.0, 0.0f32);
            for arrow in &panel.arrows {
                for (own, other) in [(arrow.from, arrow.to), (arrow.to, arrow.from)] {
                    if own == node && column[other] != of {
                        sum = (sum.0 + rows[other] as f32, sum.1 + 1.0);
                    }
                }
            }
            if sum.1 > 0.0 { sum.0 / sum.1 } else { rows[node] as f32 }
        };
        let mut order: Vec<(f32, usize)> = members(of).into_iter().map(|node| (mean(node), node)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().enumerate().for_each(|(row, (_, node))| rows[node] = row);
    }
    rows
}

/// Where arrows touch boxes: for each node and side the ends of arrows, from top to bottom.
struct Ports {
    ends: Vec<[Vec<(usize, bool)>; 2]>,
}

impl Ports {
    fn new(panel: &Panel, column: &[usize], rows: &[usize]) -> Self {
        let mut ends: Vec<[Vec<(usize, bool)>; 2]> = panel.nodes.iter().map(|_| Default::default()).collect();
        for (index, arrow) in panel.arrows.iter().enumerate() {
            let [from, to] = sides(column[arrow.from], column[arrow.to]);
            ends[arrow.from][from].push((index, true));
            ends[arrow.to][to].push((index, false));
        }
        for sides in &mut ends {
            for side in sides {
                side.sort_by_key(|&(index, starts)| {
                    let arrow = &panel.arrows[index];
                    let other = if starts { arrow.to } else { arrow.from };
                    (rows[other], other, index, starts)
                });
            }
        }
        Self { ends }
    }

    fn most(&self, node: usize) -> usize {
        self.ends[node].iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The point at which an arrow leaves or meets a node.
    fn point(
        &self,
        node: usize,
        side: usize,
        arrow: usize,
        starts: bool,
        [x, y, width, height]: [f32; 4],
    ) -> [f32; 2] {
        let ends = &self.ends[node][side];
        let place = ends.iter().position(|end| *end == (arrow, starts)).unwrap_or(0);
        let first = y + height / 2.0 - PORT * (ends.len() as f32 - 1.0) / 2.0;
        [if side == LEFT { x } else { x + width }, first + PORT * place as f32]
    }
}

/// At which sides of its boxes an arrow begins and ends.
fn sides(from: usize, to: usize) -> [usize; 2] {
    match from.cmp(&to) {
        std::cmp::Ordering::Less => [RIGHT, LEFT],
        std::cmp::Ordering::Greater => [LEFT, RIGHT],
        std::cmp::Ordering::Equal => [RIGHT, RIGHT],
    }
}

fn boxes(panel: &Panel, column: &[usize], rows: &[usize], ports: &Ports) -> Vec<[f32; 4]> {
    let width = |node: usize| {
        let text = text_width(&panel.nodes[node].name).max(text_width(&panel.nodes[node].detail) * 0.9);
        (text + 28.0).max(90.0)
    };
    let height = |node: usize| BOX.max(ports.most(node) as f32 * PORT + 10.0);
    let last = column.iter().copied().max().unwrap_or(0);
    // Between two columns there is room for the labels of the arrows that go there.
    let mut left = EDGE + 16.0;
    let mut lefts = Vec::new();
    for of in 0..=last {
        lefts.push(left);
        let widest = (0..column.len()).filter(|node| column[*node] == of).map(width).fold(0.0, f32::max);
        let labels = panel.arrows.iter().filter(|arrow| {
            let (a, b) = (column[arrow.from], column[arrow.to]);
            a.min(b) == of && a.max(b) <= of + 1
        });
        let gap = labels.map(|arrow| label_width(&arrow.label)).fold(0.0, f32::max);
        left += widest + gap + 60.0;
    }
    let mut boxes = vec![[0.0; 4]; column.len()];
    let mut tallest: f32 = 0.0;
    for (of, &left) in lefts.iter().enumerate() {
        let mut members: Vec<usize> = (0..column.len()).filter(|node| column[*node] == of).collect();
        members.sort_by_key(|node| rows[*node]);
        let mut top = TITLE + EDGE;
        for node in members {
            boxes[node] = [left, top, width(node), height(node)];
            top += height(node) + BETWEEN_ROWS;
        }
        tallest = tallest.max(top);
    }
    // Columns are centred.
    for of in 0..=last {
        let bottom = |node: &[f32; 4]| node[1] + node[3] + BETWEEN_ROWS;
        let own = (0..column.len()).filter(|node| column[*node] == of);
        let shift = (tallest - own.clone().map(|node| bottom(&boxes[node])).fold(0.0, f32::max)) / 2.0;
        own.for_each(|node| boxes[node][1] += shift);
    }
    boxes
}

fn curve(panel: &Panel, index: usize, column: &[usize], ports: &Ports, boxes: &[[f32; 4]]) -> Curve {
    let arrow = &panel.arrows[index];
    let [from_side, to_side] = sides(column[arrow.from], column[arrow.to]);
    let start = ports.point(arrow.from, from_side, index, true, boxes[arrow.from]);
    let end = ports.point(arrow.to, to_side, index, false, boxes[arrow.to]);
    let away = if from_side == to_side {
        let bulge = BULGE + (start[1] - end[1]).abs() * 0.25;
        [bulge, bulge]
    } else {
        let reach = (end[0] - start[0]) * 0.4;
        [reach, -reach]
    };
    let points = [start, [start[0] + away[0], start[1]], [end[0] + away[1], end[1]], end];
    let middle = |axis: usize| {
        (points[0][axis] + 3.0 * points[1][axis] + 3.0 * points[2][axis] + points[3][axis]) / 8.0
    };
    let mut label = [middle(0), middle(1)];
    if from_side == to_side {
        label[0] += label_width(&arrow.label) / 2.0 + 4.0;
    }
    Curve { points, label }
}

/// Moves labels down until none covers another or a box.
fn spread_labels(panel: &Panel, curves: &mut [Curve], boxes: &[[f32; 4]]) {
    let mut order: Vec<usize> = (0..curves.len()).collect();
    order.sort_by(|a, b| curves[*a].label[1].total_cmp(&curves[*b].label[1]).then(a.cmp(b)));
    let mut taken: Vec<[f32; 4]> = boxes.to_vec();
    for index in order {
        let width = label_width(&panel.arrows[index].label);
        let at = |label: [f32; 2]| [label[0] - width / 2.0, label[1] - LABEL / 2.0, width, LABEL];
        let covers = |a: [f32; 4], b: &[f32; 4]| {
            a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]
        };
        let label = &mut curves[index].label;
        while taken.iter().any(|other| covers(at(*label), other)) {
            label[1] += LABEL / 2.0;
        }
        taken.push(at(*label));
    }
}
