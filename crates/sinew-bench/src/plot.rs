//! Small line plots as SVG, both axes logarithmic.

use std::fmt::Write;

/// A line of a plot.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is.
    pub name: String,
    /// Points, x rising.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 44.0;
const COLOURS: [&str; 4] = ["#2563eb", "#dc2626", "#059669", "#9333ea"];

/// A plot with a title and the names of its axes. Empty without points above zero.
pub fn svg(title: &str, x: &str, y: &str, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points).filter(|(x, y)| *x > 0.0 && *y > 0.0);
    let Some((x_range, y_range)) = range(points().map(|p| p.0)).zip(range(points().map(|p| p.1))) else {
        return String::new();
    };
    let across = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * share(value, x_range);
    let up = |value: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share(value, y_range);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"18\" font-size=\"13\" font-weight=\"bold\">{title}</text>\n"
    );
    for value in powers(x_range) {
        let at = across(value);
        let (top, bottom) = (TOP, HEIGHT - BOTTOM);
        let _ = writeln!(out, "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#ddd\"/>");
        let text = number(value);
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
            bottom + 15.0
        );
    }
    for value in ticks(y_range) {
        let at = up(value);
        let _ = writeln!(out, "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#ddd\"/>", WIDTH - RIGHT);
        let text = number(value);
        let (x, y) = (LEFT - 6.0, at + 4.0);
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{text}</text>");
    }
    let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{x}</text>", LEFT, HEIGHT - 8.0);
    let _ = writeln!(out, "<text x=\"8\" y=\"{:.1}\">{y}</text>", TOP - 4.0);
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let mut path = String::new();
        let drawn = line.points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0);
        for (i, (x, y)) in drawn.enumerate() {
            let letter = if i == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", across(*x), up(*y));
        }
        let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
        if let Some((x, y)) = line.points.last() {
            let (x, y) = (across(*x) + 6.0, up(*y) + 4.0);
            let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{}</text>", line.name);
        }
    }
    out + "</svg>\n"
}

/// Lowest and highest value, apart by some factor.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values.fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
    (low <= high).then(|| (low / 1.3, high * 1.3))
}

/// Where a value lies in a range, from 0 to 1.
fn share(value: f64, (low, high): (f64, f64)) -> f64 {
    libm::log(value / low) / libm::log(high / low)
}

/// Powers of ten within a range.
fn powers((low, high): (f64, f64)) -> impl Iterator<Item = f64> {
    (-6..12).map(|n| libm::pow(10.0, f64::from(n))).filter(move |value| (low..=high).contains(value))
}

/// Powers of ten, and what lies between them where there are few.
fn ticks(range: (f64, f64)) -> Vec<f64> {
    let between: &[f64] = if range.1 / range.0 > 100.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let wide = (range.0 / 10.0, range.1);
    let all = powers(wide).flat_map(|power| between.iter().map(move |part| part * power));
    all.filter(|value| (range.0..=range.1).contains(value)).collect()
}

fn number(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 1e3 => format!("{}k", v / 1e3),
        v => format!("{v}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_on_logarithmic_axes() {
        let line = Line { name: "a".into(), points: vec![(1.0, 1.0), (10.0, 100.0), (100.0, 10_000.0)] };
        let plot = svg("t", "x", "y", &[line]);
        let path = plot.lines().find(|line| line.contains("stroke-width")).unwrap();
        let numbers: Vec<f64> =
            path.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|n| n.parse().ok()).collect();
        let (x, y) = ([numbers[0], numbers[2], numbers[4]], [numbers[1], numbers[3], numbers[5]]);
        assert!(
            (x[1] - x[0] - (x[2] - x[1])).abs() < 0.2 && (y[1] - y[0] - (y[2] - y[1])).abs() < 0.2,
            "{path}"
        );
        assert!(svg("t", "x", "y", &[]).is_empty());
    }
}
