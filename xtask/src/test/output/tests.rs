use super::*;

fn report(text: &str, success: bool) -> String {
    let mut output = TestOutput::default();
    text.lines().for_each(|line| output.read(line));
    output.finish("tests", success).to_string()
}

#[test]
fn suites_add_up() {
    let text = "
   Compiling sinew v0.1.0
     Running unittests src/lib.rs (target/debug/deps/sinew-0123456789abcdef)

running 2 tests
test pose::rest ... ok
test pose::bind ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/corpus.rs (target/debug/deps/corpus-fedcba9876543210)

running 1 test
test all ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    assert_eq!(report(text, true), "3 passed, 0 failed, 0 skipped");
}

#[test]
fn failures_are_named_with_their_suite() {
    let text = "
     Running unittests src/lib.rs (target/debug/deps/sinew_import-0123456789abcdef)

running 3 tests
test a ... FAILED
test fbx::b ... FAILED
test c ... ok

failures:

---- a stdout ----
thread 'a' panicked at src/lib.rs:3:5:
    an indented line
note: run with `RUST_BACKTRACE=1`

failures:
    a
    fbx::b

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `-p sinew-import --lib`
";
    assert_eq!(
        report(text, false),
        "Failed:\n  sinew_import: a\n  sinew_import: fbx::b\n1 passed, 2 failed, 0 skipped"
    );
}

#[test]
fn skips_are_subtracted_from_the_passed_once_per_test() {
    let text = "
     Running tests/gold.rs (target/debug/deps/gold-0123456789abcdef)
running 3 tests
test poses ... ok
test fbx::clips ... ok
test names ... ok
successes:
---- poses stdout ----
SINEW-SKIP: poses: no corpus (SINEW_CORPUS is not set)
SINEW-SKIP: poses: no GPU
---- fbx::clips stdout ----
SINEW-SKIP: fbx::clips: no corpus: see CONTRIBUTING.md

successes:
    poses
    fbx::clips
    names

test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    assert_eq!(
        report(text, true),
        "Skipped:\n  gold: poses: no corpus (SINEW_CORPUS is not set); no GPU\n  \
         gold: fbx::clips: no corpus: see CONTRIBUTING.md\n1 passed, 0 failed, 2 skipped"
    );
}

#[test]
fn the_same_test_name_in_two_suites_is_two_skips() {
    let suite = "
running 1 test
test poses ... SINEW-SKIP: poses: no corpus
ok
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    assert!(report(&suite.repeat(2), true).ends_with("0 passed, 0 failed, 2 skipped"));
}

#[test]
fn a_test_that_fails_after_its_skip_has_failed() {
    let text = "
running 2 tests
SINEW-SKIP: poses: no corpus
test poses ... FAILED
test names ... ok
failures:
    poses
test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    assert_eq!(report(text, false), "Failed:\n  poses\n1 passed, 1 failed, 0 skipped");
}

#[test]
fn ignored_tests_are_skipped_with_their_reason() {
    let text = "
   Doc-tests sinew
running 3 tests
test crates/sinew/src/lib.rs - pose (line 7) ... ignored
test slow ... ignored, takes an hour
test fast ... ok
test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    assert_eq!(
        report(text, true),
        "Skipped:\n  doc tests of sinew: crates/sinew/src/lib.rs - pose (line 7): marked #[ignore]\n  \
         doc tests of sinew: slow: takes an hour\n1 passed, 0 failed, 2 skipped"
    );
}

#[test]
fn a_suite_that_crashes_is_a_failure_of_its_own() {
    let text = "
     Running unittests src/lib.rs (target/debug/deps/sinew-0123456789abcdef)
running 2 tests
error: test failed, to rerun pass `-p sinew --lib`
Caused by:
  process didn't exit successfully (signal: 6, SIGABRT: process abort signal)
     Running tests/corpus.rs (target/debug/deps/corpus-fedcba9876543210)
running 1 test
test all ... FAILED
failures:
    all
test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    assert_eq!(
        report(text, false),
        "Failed:\n  sinew: stopped before its tests were done\n  corpus: all\n0 passed, 2 failed, 0 skipped"
    );
}

#[test]
fn a_failed_build_is_one_failure() {
    let text = "error[E0425]: cannot find value `x`\nerror: could not compile `sinew`";
    assert_eq!(
        report(text, false),
        "Failed:\n  tests: did not build or stopped early\n0 passed, 1 failed, 0 skipped"
    );
}

#[test]
fn a_skip_line_inside_other_output_is_not_a_skip() {
    let text = "
running 1 test
  left: \"SINEW-SKIP: poses: no corpus\"
test prints ... ok
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    assert_eq!(report(text, true), "1 passed, 0 failed, 0 skipped");
}
