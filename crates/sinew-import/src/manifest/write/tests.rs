use super::*;

/// A folder stands where the file should go, so the last step fails: nothing of the attempt is left.
#[test]
fn a_failed_write_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("manifest.json");
    std::fs::create_dir_all(path.join("full")).unwrap();
    assert!(replace(&path, &serde_json::json!({})).is_err());
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(left, [path]);
}
