//! The target in a project.

use crate::common::Folder;
use crate::xnb;
use sinew_build::project::{BuildOptions, BuildReport, Project, Reason, State, build};
use std::fs;

/// The hero with one clip, compiled for MonoGame.
fn project(monogame: &str) -> Folder {
    let folder = Folder::new();
    for (name, content) in sinew_testkit::humanoid::files() {
        folder.write(&name, content);
    }
    let walk = "tag = \"Walk\"\nroot_motion = \"extract\"\nevents = [{ time = 0.2, name = \"step\" }]\n";
    let clips = format!("[[characters.hero.clips]]\nfile = \"walk.fbx\"\n{walk}");
    let toml = format!(
        "[build]\ntargets = [\"monogame\"]\n[monogame]\n{monogame}\n[characters.hero]\nfile = \"hero.fbx\"\n{clips}"
    );
    folder.write("sinew.toml", toml);
    folder
}

fn run(folder: &Folder) -> BuildReport {
    let project = Project::open(folder.0.path()).unwrap_or_else(|error| panic!("{error}"));
    build(&project.jobs(&[], &[]).unwrap(), BuildOptions::default(), &|_| {}).unwrap()
}

#[test]
fn a_project_has_the_model_its_textures_and_its_clips() {
    let folder = project("clips = \"files\"");
    let report = run(&folder);
    assert!(matches!(report.jobs[0].state, State::Built { .. }), "{:?}", report.jobs[0].state);
    let model = xnb::read(&fs::read(folder.path("build/hero.xnb")).unwrap()).model();
    let tag = model.tag.unwrap();
    let (name, tagged, _, asset) = &tag.lazy[0];
    assert_eq!((name.as_str(), tagged.as_str(), asset.as_str()), ("walk", "Walk", "hero/clips/walk"));
    let clip = xnb::read(&fs::read(folder.path("build/hero/clips/walk.xnb")).unwrap());
    let xnb::Object::Skinning(clip) = clip.object else { panic!("no clip") };
    let clip = &clip.clips[0];
    // Its own event, and the two footsteps that were found.
    let steps = clip.events.iter().filter(|event| event.1 == "step").count();
    assert_eq!((clip.root_motion, steps, clip.events.len()), (2, 1, 3));
    let way = clip.travel.last().unwrap().1;
    assert!(way[2] > 0.1, "it walks forward: {way:?}");
    for resource in &model.resources {
        if let xnb::Resource::Effect(effect) = resource {
            xnb::read(&fs::read(folder.path(&format!("build/{}.xnb", effect.texture))).unwrap());
        }
    }
    // Nothing changed, then a file that belongs to it is gone, then a setting of the target is another.
    assert_eq!(run(&folder).built(), 0);
    fs::remove_file(folder.path("build/hero/clips/walk.xnb")).unwrap();
    assert_eq!(run(&folder).built(), 1);
    let toml = fs::read_to_string(folder.path("sinew.toml")).unwrap();
    folder.write("sinew.toml", toml.replace("\"files\"", "\"files\"\nrate = 30"));
    let report = run(&folder);
    assert!(matches!(report.jobs[0].state, State::Built { reason: Reason::Settings, .. }));
}

#[test]
fn settings_that_do_not_exist_are_errors_that_say_what_does() {
    for (setting, says) in [
        ("rate = 25", "\"source\", 30 or 60, not 25"),
        ("over-72 = \"cut\"", "`split`, `prune`, `refuse`"),
        ("over_72 = \"split\"", "over-72"),
    ] {
        let error = Project::open(project(setting).0.path()).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    let report = run(&project("reader = \"Reader\""));
    let State::Failed(error) = &report.jobs[0].state else { panic!("{:?}", report.jobs[0].state) };
    assert!(error.to_string().contains("Namespace.Type, Assembly"), "{error}");
}
