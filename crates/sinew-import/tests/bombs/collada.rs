//! Bombs of COLLADA.

use super::{Bomb, Limit, Read, Refused};
use std::io::{Cursor, Write};

pub(super) const BOMBS: &[Bomb] = &[
    Bomb { name: "dae empty elements", file: "a.dae", make: elements, full: 8, expected: Limit("memory") },
    Bomb { name: "dae attributes", file: "a.dae", make: attributes, full: 1, expected: Read },
    Bomb { name: "dae text in pieces", file: "a.dae", make: pieces, full: 4, expected: Read },
    Bomb { name: "dae nested elements", file: "a.dae", make: nested, full: 20, expected: Limit("depth") },
    Bomb { name: "dae nodes shown by nodes", file: "a.dae", make: laughs, full: 1, expected: Limit("nodes") },
    Bomb {
        name: "dae long name shown often",
        file: "a.dae",
        make: long_name,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb {
        name: "dae channels on one sampler",
        file: "a.dae",
        make: channels,
        full: 4,
        expected: Limit("keys"),
    },
    Bomb {
        name: "dae matrix channels",
        file: "a.dae",
        make: matrix_channels,
        full: 4,
        expected: Limit("keys"),
    },
    Bomb { name: "dae channels on one joint", file: "a.dae", make: one_joint, full: 4, expected: Read },
    Bomb {
        name: "dae channels of one transform",
        file: "a.dae",
        make: one_transform,
        full: 4,
        expected: Read,
    },
    Bomb {
        name: "dae transforms of one node",
        file: "a.dae",
        make: transforms,
        full: 4,
        expected: Limit("transforms"),
    },
    Bomb { name: "dae clips on shared keys", file: "a.dae", make: clips, full: 3, expected: Limit("keys") },
    Bomb { name: "dae nested animations", file: "a.dae", make: nested_animations, full: 20, expected: Read },
    Bomb { name: "dae rows times columns", file: "a.dae", make: columns, full: 1, expected: Limit("memory") },
    Bomb {
        name: "dae targets of one geometry",
        file: "a.dae",
        make: morphs,
        full: 4,
        expected: Limit("memory"),
    },
    Bomb {
        name: "dae geometry shown often",
        file: "a.dae",
        make: shown,
        full: 1,
        expected: Limit("vertices"),
    },
    Bomb {
        name: "dae counts times lists",
        file: "a.dae",
        make: counts,
        full: 4,
        expected: Limit("vertices"),
    },
    Bomb { name: "dae joints of one name", file: "a.dae", make: one_name, full: 4, expected: Read },
    Bomb {
        name: "dae missing joints shown often",
        file: "a.dae",
        make: missing,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb { name: "dae jagged polygons", file: "a.dae", make: polygons, full: 8, expected: Read },
    Bomb { name: "dae spiral polygons", file: "a.dae", make: spirals, full: 8, expected: Read },
    Bomb { name: "dae materials", file: "a.dae", make: materials, full: 10, expected: Read },
    Bomb { name: "dae picture in hexadecimals", file: "a.dae", make: hex, full: 10, expected: Read },
    Bomb { name: "zae that expands", file: "a.zae", make: archive, full: 3, expected: Limit("memory") },
    Bomb {
        name: "zae picture shown often",
        file: "a.zae",
        make: archived_picture,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb { name: "zae of many files", file: "a.zae", make: many_files, full: 10, expected: Refused },
];

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

fn numbers(count: usize) -> String {
    list(count, |i| format!("{i} "))
}

fn scene(libraries: &str, nodes: &str) -> Vec<u8> {
    format!(
        "<COLLADA>{libraries}<library_visual_scenes><visual_scene id='s'>{nodes}</visual_scene></library_visual_scenes></COLLADA>"
    )
    .into_bytes()
}

fn source(id: &str, stride: usize, values: &str) -> String {
    format!(
        "<source id='{id}'><float_array id='{id}a'>{values}</float_array><technique_common><accessor source='#{id}a' stride='{stride}'/></technique_common></source>"
    )
}

fn sampler(id: &str) -> String {
    format!(
        "<sampler id='{id}'><input semantic='INPUT' source='#t'/><input semantic='OUTPUT' source='#v'/></sampler>"
    )
}

pub(super) fn elements(scale: usize) -> Vec<u8> {
    scene(&"<a/>".repeat(1_800_000 * scale), "")
}

/// A character of one joint.
pub(super) fn one_bone() -> Vec<u8> {
    scene("", &joints(1, ""))
}

fn attributes(scale: usize) -> Vec<u8> {
    scene(&format!("<a{}/>", " b=''".repeat(3_000_000 * scale)), "")
}

fn pieces(scale: usize) -> Vec<u8> {
    scene(&format!("<a>x{}</a>", "&lt;".repeat(1_000_000 * scale)), "<node/>")
}

fn nested(scale: usize) -> Vec<u8> {
    scene(&format!("{}{}", "<a>".repeat(100_000 * scale), "</a>".repeat(100_000 * scale)), "")
}

fn laughs(_: usize) -> Vec<u8> {
    let nodes = list(20, |i| {
        format!("<node id='n{i}'>{}</node>", format!("<instance_node url='#n{}'/>", i + 1).repeat(10))
    });
    scene(&format!("<library_nodes>{nodes}</library_nodes>"), "<node><instance_node url='#n0'/></node>")
}

fn long_name(_: usize) -> Vec<u8> {
    let library = format!("<library_nodes><node id='n' name='{}'/></library_nodes>", "x".repeat(1 << 20));
    scene(&library, &format!("<node>{}</node>", "<instance_node url='#n'/>".repeat(50_000)))
}

fn joints(count: usize, transform: &str) -> String {
    list(count, |i| format!("<node id='n{i}' type='JOINT'>{transform}</node>"))
}

/// Each of many joints is moved by one curve of many keys.
fn channels(scale: usize) -> Vec<u8> {
    let count = 4_000 * scale;
    let channels = list(count, |i| format!("<channel source='#s' target='n{i}/t.X'/>"));
    let (t, v) = (source("t", 1, &numbers(10_000)), source("v", 1, &numbers(10_000)));
    let library = format!(
        "<library_animations><animation>{t}{v}{}{channels}</animation></library_animations>",
        sampler("s")
    );
    scene(&library, &joints(count, "<translate sid='t'>0 0 0</translate>"))
}

fn matrix_channels(scale: usize) -> Vec<u8> {
    let count = 4_000 * scale;
    let channels = list(count, |i| format!("<channel source='#s' target='n{i}/m'/>"));
    let matrix = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 ";
    let (t, v) = (source("t", 1, &numbers(10_000)), source("v", 16, &matrix.repeat(10_000)));
    let library = format!(
        "<library_animations><animation>{t}{v}{}{channels}</animation></library_animations>",
        sampler("s")
    );
    scene(&library, &joints(count, &format!("<matrix sid='m'>{matrix}</matrix>")))
}

fn one_joint(scale: usize) -> Vec<u8> {
    let count = 1_000 * scale;
    let channels = list(count, |_| "<channel source='#s' target='n0/t.X'/>".to_owned());
    let (t, v) = (source("t", 1, &numbers(5_000)), source("v", 1, &numbers(5_000)));
    let library = format!(
        "<library_animations><animation>{t}{v}{}{channels}</animation></library_animations>",
        sampler("s")
    );
    scene(
        &library,
        &joints(
            1,
            "<translate sid='t'>0 0 0</translate><rotate sid='r'>1 0 0 0</rotate><translate>1 1 1</translate>",
        ),
    )
}

/// A thousand transforms of one node, each moved by a curve of its own times.
fn one_transform(scale: usize) -> Vec<u8> {
    let count = 250 * scale;
    let curves = list(count, |i| {
        let times = format!("{} {}", i as f64 / 100.0, (i + 1) as f64 / 100.0);
        let sampler = format!(
            "<sampler id='s{i}'><input semantic='INPUT' source='#t{i}'/><input semantic='OUTPUT' source='#v'/></sampler>"
        );
        format!(
            "{}{sampler}<channel source='#s{i}' target='n0/r{i}.ANGLE'/>",
            source(&format!("t{i}"), 1, &times)
        )
    });
    let stack = list(count, |i| format!("<rotate sid='r{i}'>0 0 1 0</rotate><translate>0 0 0</translate>"));
    let stack =
        if count > 500 { list(count, |i| format!("<rotate sid='r{i}'>0 0 1 0</rotate>")) } else { stack };
    let library = format!(
        "<library_animations><animation>{}{curves}</animation></library_animations>",
        source("v", 1, "0 10")
    );
    scene(&library, &joints(1, &stack))
}

fn transforms(scale: usize) -> Vec<u8> {
    scene("", &joints(1, &"<scale>1 1 1</scale>".repeat(25_000 * scale)))
}

fn clips(scale: usize) -> Vec<u8> {
    let (t, v) = (source("t", 1, &numbers(50_000)), source("v", 1, &numbers(50_000)));
    let animation =
        format!("<animation id='a'>{t}{v}{}<channel source='#s' target='n0/t.X'/></animation>", sampler("s"));
    let clips = "<animation_clip start='0' end='1'><instance_animation url='#a'/></animation_clip>"
        .repeat(1_000 * scale);
    let libraries = format!(
        "<library_animations>{animation}</library_animations><library_animation_clips>{clips}</library_animation_clips>"
    );
    scene(&libraries, &joints(1, "<translate sid='t'>0 0 0</translate>"))
}

fn nested_animations(scale: usize) -> Vec<u8> {
    let open = list(400, |i| format!("<animation id='a{i}'>"));
    let channels = "<channel source='#s' target='n0/t.X'/>".repeat(5_000 * scale);
    let (t, v) = (source("t", 1, "0 1"), source("v", 1, "0 1"));
    let library = format!(
        "<library_animations>{open}{t}{v}{}{channels}{}</library_animations>",
        sampler("s"),
        "</animation>".repeat(400)
    );
    scene(&library, &joints(1, "<translate sid='t'>0 0 0</translate>"))
}

/// A parameter without a name makes the others be picked out of each row.
fn columns(_: usize) -> Vec<u8> {
    let params = "<param name='X'/>".repeat(20_000);
    let values = format!(
        "<source id='p'><float_array id='pa'>{}</float_array><technique_common><accessor source='#pa' stride='1'><param/>{params}</accessor></technique_common></source>",
        "0 ".repeat(100_000)
    );
    scene(&geometry("g", &values, ""), "<node><instance_geometry url='#g'/></node>")
}

fn geometry(id: &str, positions: &str, primitives: &str) -> String {
    format!(
        "<library_geometries><geometry id='{id}'><mesh>{positions}<vertices id='{id}v'><input semantic='POSITION' source='#p'/></vertices>{primitives}</mesh></geometry></library_geometries>"
    )
}

const TRIANGLE: &str =
    "<triangles><input semantic='VERTEX' source='#gv' offset='0'/><p>0 1 2</p></triangles>";

fn positions(count: usize) -> String {
    source("p", 3, &"0 1 2 ".repeat(count))
}

fn morphs(scale: usize) -> Vec<u8> {
    let targets =
        format!("<source id='m'><IDREF_array id='ma'>{}</IDREF_array></source>", "g ".repeat(15_000 * scale));
    let controller = format!(
        "<library_controllers><controller id='c'><morph source='#g'>{targets}<targets><input semantic='MORPH_TARGET' source='#m'/></targets></morph></controller></library_controllers>"
    );
    scene(
        &(geometry("g", &positions(10_000), TRIANGLE) + &controller),
        "<node><instance_controller url='#c'/></node>",
    )
}

fn shown(_: usize) -> Vec<u8> {
    let nodes = "<node><instance_geometry url='#g'/></node>".repeat(10_000);
    let empty = "<triangles><input semantic='VERTEX' source='#gv' offset='0'/></triangles>".repeat(10_000);
    scene(&geometry("g", &positions(3), &(TRIANGLE.to_owned() + &empty)), &nodes)
}

fn counts(scale: usize) -> Vec<u8> {
    let lists = "<p>0 1 2</p>".repeat(5_000 * scale);
    let vcount = "0 ".repeat(100_000 * scale);
    let polylist = format!(
        "<polylist><input semantic='VERTEX' source='#gv' offset='0'/><vcount>{vcount}</vcount>{lists}</polylist>"
    );
    scene(&geometry("g", &positions(3), &polylist), "<node><instance_geometry url='#g'/></node>")
}

fn skin(words: &str) -> String {
    let joints = format!("<source id='j'><Name_array id='ja'>{words}</Name_array></source>");
    format!(
        "<library_controllers><controller id='c'><skin source='#g'>{joints}<joints><input semantic='JOINT' source='#j'/></joints></skin></controller></library_controllers>"
    )
}

/// All joints have one name, and a skin asks for it often, outside of its skeletons.
fn one_name(scale: usize) -> Vec<u8> {
    let library = geometry("g", &positions(3), TRIANGLE) + &skin(&"j ".repeat(15_000));
    let nodes = "<node sid='j'/>".repeat(4_000 * scale);
    let roots = list(1_000, |i| format!("<node id='r{i}'/>"));
    let skeletons = list(1_000, |i| format!("<skeleton>#r{i}</skeleton>"));
    scene(
        &library,
        &format!(
            "{nodes}<node>{roots}<instance_controller url='#c'>{skeletons}</instance_controller></node>"
        ),
    )
}

fn missing(_: usize) -> Vec<u8> {
    let library = geometry("g", &positions(3), TRIANGLE) + &skin(&"nobody ".repeat(50_000));
    scene(&library, &"<node><instance_controller url='#c'/></node>".repeat(1_000))
}

/// Polygons just small enough to be cut ear by ear, of points that jump about.
fn polygons(scale: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut values = String::new();
    for _ in 0..512 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        values += &format!("{} {} 0 ", state >> 20, (state >> 8) & 0xfff);
    }
    let polygons = format!("<p>{}</p>", numbers(512)).repeat(25 * scale);
    let polygons =
        format!("<polygons><input semantic='VERTEX' source='#gv' offset='0'/>{polygons}</polygons>");
    scene(&geometry("g", &source("p", 3, &values), &polygons), "<node><instance_geometry url='#g'/></node>")
}

/// A spiral has few ears, at its ends.
fn spirals(scale: usize) -> Vec<u8> {
    let point = |i: usize, width: f64| {
        let turn = i as f64 * 0.25;
        format!("{} {} 0 ", turn.cos() * (turn + width), turn.sin() * (turn + width))
    };
    let values = list(256, |i| point(i, 10.0)) + &list(256, |i| point(255 - i, 11.0));
    let polygons = format!("<p>{}</p>", numbers(512)).repeat(25 * scale);
    let polygons =
        format!("<polygons><input semantic='VERTEX' source='#gv' offset='0'/>{polygons}</polygons>");
    scene(&geometry("g", &source("p", 3, &values), &polygons), "<node><instance_geometry url='#g'/></node>")
}

fn materials(scale: usize) -> Vec<u8> {
    let count = 2_000 * scale;
    let params = list(count, |i| {
        format!("<newparam sid='s{i}'><sampler2D><source>x{i}</source></sampler2D></newparam>")
    });
    let effect = format!(
        "<library_effects><effect id='e'><profile_COMMON>{params}<technique><lambert><diffuse><texture texture='s{}'/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>",
        count - 1
    );
    let materials = list(count, |i| format!("<material id='m{i}'><instance_effect url='#e'/></material>"));
    let primitives = list(count, |i| {
        format!(
            "<triangles material='y{i}'><input semantic='VERTEX' source='#gv' offset='0'/><p>0 1 2</p></triangles>"
        )
    });
    let bound = list(count, |i| format!("<instance_material symbol='y{i}' target='#m{i}'/>"));
    let node = format!(
        "<node><instance_geometry url='#g'><bind_material><technique_common>{bound}</technique_common></bind_material></instance_geometry></node>"
    );
    let libraries = effect + &format!("<library_materials>{materials}</library_materials>");
    scene(&(libraries + &geometry("g", &positions(3), &primitives)), &node)
}

fn textured(image: &str, count: usize) -> Vec<u8> {
    let images = list(count, |i| format!("<image id='i{i}'><init_from>{image}</init_from></image>"));
    let effects = list(count, |i| {
        format!(
            "<effect id='e{i}'><profile_COMMON><technique><lambert><diffuse><texture texture='i{i}'/></diffuse></lambert></technique></profile_COMMON></effect>"
        )
    });
    let materials = list(count, |i| format!("<material id='m{i}'><instance_effect url='#e{i}'/></material>"));
    let primitives = list(count, |i| {
        format!(
            "<triangles material='m{i}'><input semantic='VERTEX' source='#gv' offset='0'/><p>0 1 2</p></triangles>"
        )
    });
    let libraries = format!(
        "<library_images>{images}</library_images><library_effects>{effects}</library_effects><library_materials>{materials}</library_materials>"
    );
    scene(
        &(libraries + &geometry("g", &positions(3), &primitives)),
        "<node><instance_geometry url='#g'/></node>",
    )
}

fn hex(scale: usize) -> Vec<u8> {
    textured(&format!("<hex>{}</hex>", "00".repeat(1_000_000 * scale)), 1)
}

fn zipped(files: &[(&str, &[u8], usize)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes, repeat) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        (0..*repeat).for_each(|_| writer.write_all(bytes).unwrap());
    }
    writer.finish().unwrap().into_inner()
}

fn archive(scale: usize) -> Vec<u8> {
    zipped(&[("a.dae", &[b' '; 1 << 20], 420 * scale)])
}

fn archived_picture(_: usize) -> Vec<u8> {
    zipped(&[("a.dae", &textured("a.png", 2_000), 1), ("a.png", &[0; 1 << 20], 1)])
}

fn many_files(scale: usize) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..5_000 * scale {
        writer.start_file(format!("{index}"), zip::write::SimpleFileOptions::default()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
