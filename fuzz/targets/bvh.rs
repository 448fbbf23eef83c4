#![no_main]

libfuzzer_sys::fuzz_target!(init: sinew_fuzz::use_one_thread(), |data: &[u8]| sinew_fuzz::bvh(data));
