//! What a COLLADA document holds, found by a text search, which is cheaper than parsing the XML.

use std::collections::BTreeSet;

/// What a document holds.
pub(super) enum Content {
    Mesh(Figure),
    NoMesh,
    /// No mesh, and no end of the document.
    Truncated,
}

/// A document with a mesh.
pub(super) struct Figure {
    /// What documents of the same model have in common.
    pub(super) kind: Kind,
    /// Whether anything in it is animated.
    pub(super) animated: bool,
}

/// Names of the joints that deform the meshes; of the meshes if none does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Joints(BTreeSet<String>),
    Meshes(BTreeSet<String>),
}

impl Content {
    pub(super) fn of(document: &[u8]) -> Self {
        // In UTF-16 every other byte of a tag is zero.
        let text: Vec<u8> = document.iter().copied().filter(|&b| b != 0).collect();
        let text = String::from_utf8_lossy(&text);
        let ends = ["</COLLADA>", ":COLLADA>"].into_iter().any(|end| text.contains(end));
        match (text.contains("<mesh"), ends) {
            (true, _) => Self::Mesh(Figure { kind: Kind::of(&text), animated: text.contains("<channel") }),
            (false, true) => Self::NoMesh,
            (false, false) => Self::Truncated,
        }
    }
}

impl Kind {
    fn of(text: &str) -> Self {
        let controllers = between(text, "<library_controllers", "</library_controllers>");
        let arrays =
            ["<Name_array", "<IDREF_array"].into_iter().flat_map(|tag| controllers.split(tag).skip(1));
        let names = arrays.filter_map(|array| Some(array.split_once('>')?.1.split_once('<')?.0));
        let joints: BTreeSet<String> = names.flat_map(str::split_whitespace).map(str::to_owned).collect();
        if !joints.is_empty() {
            return Self::Joints(joints);
        }
        let meshes = text.split("<geometry").skip(1).filter_map(|geometry| {
            let tag = geometry.split_once('>')?.0;
            tag.split_once(" id=\"")?.1.split_once('"').map(|(id, _)| id.to_owned())
        });
        Self::Meshes(meshes.collect())
    }
}

/// What lies between two texts; nothing if one of them is missing.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let inner = text.split_once(from).and_then(|(_, rest)| rest.split_once(to));
    inner.map_or("", |(inner, _)| inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(document: &str) -> (Kind, bool) {
        match Content::of(document.as_bytes()) {
            Content::Mesh(figure) => (figure.kind, figure.animated),
            _ => panic!("no mesh: {document}"),
        }
    }

    #[test]
    fn documents_of_one_model_are_of_one_kind() {
        let of = |names: &str, rest: &str| {
            format!(
                "<COLLADA><mesh/><library_controllers><Name_array id=\"a\" count=\"2\">{names}</Name_array></library_controllers>{rest}</COLLADA>"
            )
        };
        let (model, still) = kind(&of("Hips Head", ""));
        assert!(!still);
        assert_eq!(kind(&of("Head\n Hips", "<animation><channel/></animation>")), (model.clone(), true));
        assert_ne!(kind(&of("Hips Tail", "")).0, model);
        let rigid = |id: &str| {
            kind(&format!("<COLLADA><geometry id=\"{id}\" name=\"x\"><mesh/></geometry></COLLADA>"))
        };
        assert_eq!(rigid("box"), rigid("box"));
        assert_ne!(rigid("box"), rigid("ball"));
        assert!(matches!(Content::of(b"<COLLADA></COLLADA>"), Content::NoMesh));
        assert!(matches!(Content::of(b"<COLLADA><"), Content::Truncated));
    }
}
