//! COLLADA text for tests, written from scratch.

use glam::DMat4;
use std::fmt::Write;

/// A joint of a chain.
pub struct Bone {
    pub name: String,
    /// Row by row, as text.
    pub matrix: String,
}

/// A matrix as an exporter prints it.
pub fn printed(matrix: DMat4, decimals: usize) -> String {
    let rows = matrix.transpose().to_cols_array();
    rows.map(|v| format!("{v:.decimals$}")).join(" ")
}

/// A channel: what it moves, its times, its numbers (as many per key as `width`) and its interpolation.
pub struct Channel<'a> {
    pub target: String,
    pub times: Vec<f64>,
    pub values: Vec<f64>,
    pub width: usize,
    pub interpolation: &'a str,
}

/// `library_animations` with one animation per channel.
pub fn animations(channels: &[Channel<'_>]) -> String {
    let mut out = String::from("<library_animations>\n");
    for (i, c) in channels.iter().enumerate() {
        let join = |list: &[f64]| list.iter().map(|v| format!("{v:.9}")).collect::<Vec<_>>().join(" ");
        let (count, width) = (c.times.len(), c.width);
        let names = vec![c.interpolation; count].join(" ");
        writeln!(
            out,
            "<animation id='a{i}'><source id='a{i}i'><float_array id='a{i}ia' count='{count}'>{}</float_array>\
             <technique_common><accessor source='#a{i}ia' count='{count}'><param name='TIME' type='float'/></accessor>\
             </technique_common></source><source id='a{i}o'><float_array id='a{i}oa' count='{}'>{}</float_array>\
             <technique_common><accessor source='#a{i}oa' count='{count}' stride='{width}'/></technique_common></source>\
             <source id='a{i}n'><Name_array id='a{i}na' count='{count}'>{names}</Name_array><technique_common>\
             <accessor source='#a{i}na' count='{count}'/></technique_common></source><sampler id='a{i}s'>\
             <input semantic='INPUT' source='#a{i}i'/><input semantic='OUTPUT' source='#a{i}o'/>\
             <input semantic='INTERPOLATION' source='#a{i}n'/></sampler><channel source='#a{i}s' target='{}'/></animation>",
            join(&c.times),
            count * width,
            join(&c.values),
            c.target
        )
        .expect("a string takes everything");
    }
    out.push_str("</library_animations>\n");
    out
}

/// A scene of joints, each below the one before it.
pub fn chain(bones: &[Bone]) -> String {
    let open = bones.iter().map(|b| {
        let name = &b.name;
        format!(
            "<node id='{name}_bone_id' name='{name}' sid='{name}' type='JOINT'><matrix sid='transform'>{}</matrix>",
            b.matrix
        )
    });
    let open: String = open.collect();
    let close = "</node>".repeat(bones.len());
    format!(
        "<library_visual_scenes><visual_scene id='s'>{open}{close}</visual_scene></library_visual_scenes>\n\
         <scene><instance_visual_scene url='#s'/></scene>\n"
    )
}

/// A whole document.
pub fn document(parts: &[&str]) -> String {
    format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' \
         version='1.4.1'>\n<asset><up_axis>Y_UP</up_axis></asset>\n{}</COLLADA>\n",
        parts.concat()
    )
}

/// A document without its elements of some names.
pub fn without(text: &str, names: &[&str]) -> String {
    let mut text = text.to_owned();
    for name in names {
        let close = format!("</{name}>");
        while let Some(start) = text.find(&format!("<{name}>")).or_else(|| text.find(&format!("<{name} "))) {
            let end = text[start..].find(&close).map_or(text.len(), |end| start + end + close.len());
            text.replace_range(start..end, "");
        }
    }
    text
}

/// A small document that has a bit of everything.
pub const SAMPLE: &str = include_str!("sample.dae");
