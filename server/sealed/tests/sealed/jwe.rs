//! JWE, compact and JSON.

use itinerary_sealed::Format;

use crate::samples::{DIRECT, compact, gcm_members, url64};
use crate::{assert_accepted, assert_extensions_refused, assert_refused, assert_truncations_refused};

/// The `enc` values, with the lengths of key, initialisation vector and tag.
const ENCRYPTIONS: [(&str, usize, usize, usize); 6] = [
    ("A128CBC-HS256", 32, 16, 16),
    ("A192CBC-HS384", 48, 16, 24),
    ("A256CBC-HS512", 64, 16, 32),
    ("A128GCM", 16, 12, 16),
    ("A192GCM", 24, 12, 16),
    ("A256GCM", 32, 12, 16),
];

const EPK: &str = r#","epk":{"kty":"OKP","crv":"X25519","x":"AA"}"#;
const PASSPHRASE: &str = r#","p2s":"WlpaWlpaWlo","p2c":600000"#;

/// The `alg` values, with the parameters that they need and the length of the encrypted key for a key of this length.
fn key_managements(key: usize) -> Vec<(&'static str, String, usize)> {
    let wrapped = format!(r#","iv":"{}","tag":"{}""#, url64([0; 12]), url64([0; 16]));
    let mut all = vec![
        ("dir", String::new(), 0),
        ("ECDH-ES", EPK.to_owned(), 0),
        ("RSA-OAEP", String::new(), 256),
        ("RSA-OAEP-256", String::new(), 512),
        ("RSA-OAEP-384", String::new(), 384),
        ("RSA-OAEP-512", String::new(), 2048),
    ];
    for alg in ["A128KW", "A192KW", "A256KW"] {
        all.push((alg, String::new(), key + 8));
    }
    for alg in ["ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW"] {
        all.push((alg, EPK.to_owned(), key + 8));
    }
    for alg in ["PBES2-HS256+A128KW", "PBES2-HS384+A192KW", "PBES2-HS512+A256KW"] {
        all.push((alg, PASSPHRASE.to_owned(), key + 8));
    }
    for alg in ["A128GCMKW", "A192GCMKW", "A256GCMKW"] {
        all.push((alg, wrapped.clone(), key));
    }
    all
}

#[test]
fn every_algorithm_is_accepted_with_its_lengths_only() {
    for (enc, key, iv, tag) in ENCRYPTIONS {
        for (alg, parameters, encrypted_key) in key_managements(key) {
            let header = format!(r#"{{"alg":"{alg}","enc":"{enc}"{parameters}}}"#);
            assert_accepted(compact(&header, [encrypted_key, iv, 32, tag]), Format::JweCompact);
            let wrong_key = if encrypted_key == 0 { 8 } else { 0 };
            assert_refused(compact(&header, [wrong_key, iv, 32, tag]), "encrypted key");
            assert_refused(compact(&header, [encrypted_key, iv + 1, 32, tag]), "initialisation vector");
            assert_refused(compact(&header, [encrypted_key, 0, 32, tag]), "initialisation vector");
            assert_refused(compact(&header, [encrypted_key, iv, 0, tag]), "no ciphertext");
            assert_refused(compact(&header, [encrypted_key, iv, 32, tag - 1]), "authentication tag");
            assert_refused(compact(&header, [encrypted_key, iv, 32, 0]), "authentication tag");
            if !parameters.is_empty() {
                let bare = format!(r#"{{"alg":"{alg}","enc":"{enc}"}}"#);
                assert_refused(compact(&bare, [encrypted_key, iv, 32, tag]), "lacks a parameter");
            }
        }
        let odd = compact(&format!(r#"{{"alg":"dir","enc":"{enc}"}}"#), [0, iv, 33, tag]);
        if iv == 16 {
            assert_refused(odd, "whole blocks");
        } else {
            assert_accepted(odd, Format::JweCompact);
        }
    }
    let short = r#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#;
    assert_refused(compact(short, [128, 12, 32, 16]), "encrypted key");
}

#[test]
fn malformed_headers_are_refused() {
    for (header, words) in [
        (r"{}", "signed, not encrypted"),
        (r#"{"alg":"dir"}"#, "signed, not encrypted"),
        (r#"{"alg":"HS256","typ":"JWT"}"#, "signed, not encrypted"),
        (r#"{"alg":"none","enc":"A256GCM"}"#, "not a key management algorithm"),
        (r#"{"alg":"HS256","enc":"A256GCM"}"#, "not a key management algorithm"),
        (r#"{"alg":null,"enc":"A256GCM"}"#, "not a key management algorithm"),
        (r#"{"alg":["dir"],"enc":"A256GCM"}"#, "not a key management algorithm"),
        (r#"{"alg":"RSA1_5","enc":"A256GCM"}"#, "RSA1_5"),
        (r#"{"enc":"A256GCM"}"#, "no `alg`"),
        (r#"{"alg":"dir","enc":"none"}"#, "`enc` is not one of"),
        (r#"{"alg":"dir","enc":"A256CTR"}"#, "`enc` is not one of"),
        (r#"{"alg":"dir","enc":7}"#, "`enc` is not one of"),
        (r#"{"alg":"dir","alg":"dir","enc":"A256GCM"}"#, "appears once"),
        (r#"{"alg":"dir","enc":"A256GCM","x":1,"x":1}"#, "appears once"),
        (r#"{"alg":"dir","enc":"A256GCM"}x"#, "not a JSON object"),
        (r#"{"alg":"dir","enc":"A256GCM""#, "not a JSON object"),
        (r#"{"alg":"ECDH-ES","enc":"A256GCM","epk":"x"}"#, "malformed `epk`"),
        (r#"{"alg":"PBES2-HS256+A128KW","enc":"A256GCM","p2s":"AA","p2c":1000}"#, "malformed `epk`, `p2s`"),
        (r#"{"alg":"PBES2-HS256+A128KW","enc":"A256GCM","p2s":"WlpaWlpaWlo","p2c":0}"#, "malformed `epk`, `p2s`"),
        (r#"{"alg":"A128GCMKW","enc":"A256GCM","iv":"AA","tag":"AA"}"#, "malformed `epk`, `p2s`"),
    ] {
        assert_refused(compact(header, [0, 12, 32, 16]), words);
        let json = format!(r#"{{"protected":"{}",{}}}"#, url64(header), gcm_members());
        crate::inspect(json).expect_err(header);
    }
    let invalid_text =
        format!("{}..{}", url64(b"{\"alg\":\"dir\",\"enc\":\"A256GCM\",\"x\":\"\xFF\"}"), &DIRECT_REST[2..]);
    assert_refused(invalid_text, "not a JSON object");
    let padded = format!(r#"{{"alg":"dir","enc":"A256GCM","x":"{}"}}"#, "x".repeat(16 * 1024));
    assert_refused(compact(&padded, [0, 12, 32, 16]), "larger than 16 KiB");
    let deep = format!(r#"{{"alg":"dir","enc":"A256GCM","x":{}}}"#, "[".repeat(16_000));
    assert_refused(compact(&deep, [0, 12, 32, 16]), "not a JSON object");
}

/// The rest after the header of [`DIRECT`], with an empty ciphertext.
const DIRECT_REST: &str = "..WlpaWlpaWlpaWlpa..WlpaWlpaWlpaWlpaWlpaWg";

#[test]
fn compact_has_five_parts_of_canonical_base64url() {
    let header = url64(DIRECT);
    let good = compact(DIRECT, [0, 12, 32, 16]);
    let parts: Vec<&str> = good.split('.').collect();
    assert_refused(format!("{header}{DIRECT_REST}"), "no ciphertext");
    for (file, words) in [
        (header.clone(), "five parts"),
        (format!("{header}."), "five parts"),
        (parts[..3].join("."), "five parts"),
        (parts[..4].join("."), "five parts"),
        (format!("{good}."), "more than five parts"),
        (format!("{good}.AA"), "more than five parts"),
        (good.replacen('.', "=.", 1), "not base64url"),
        (format!("{good}="), "not base64url"),
        (format!("{good}A"), "authentication tag"),
        (good.replace(parts[3], &format!("{}+", parts[3])), "not base64url"),
        (good.replace(parts[3], &format!("{}\n", parts[3])), "not base64url"),
        // One of the leftover bits is set.
        (format!("{}B", &good[..good.len() - 1]), "canonical"),
        (format!("{}B.{}", &header[..header.len() - 1], parts[1..].join(".")), "canonical"),
        (format!("{header}.{}.{}", "A".repeat(5000), parts[2..].join(".")), "longer than 4 KiB"),
        (format!("{good}\n\n"), "continues"),
        (format!("{good}\nx"), "continues"),
        (format!("{good}\r"), "CR without LF"),
        (format!("{good}\r\r\n"), "continues"),
        (format!("{good} "), "not base64url"),
        (format!("\n{good}"), "plain text"),
    ] {
        assert_refused(file, words);
    }
    assert_accepted(format!("{good}\n"), Format::JweCompact);
    assert_accepted(format!("{good}\r\n"), Format::JweCompact);
}

#[test]
fn truncations_and_extensions_of_compact_show() {
    let good = compact(DIRECT, [0, 12, 32, 16]);
    assert_truncations_refused(good.as_bytes(), |_| false);
    assert_extensions_refused(good.as_bytes(), |byte| byte == b'\n');
}

#[test]
fn json_is_accepted_in_both_serializations() {
    let members = gcm_members();
    let wrapped = url64([0x5A; 40]);
    let recipient = format!(r#"{{"header":{{"alg":"A128KW","kid":"a \"}}] b"}},"encrypted_key":"{wrapped}"}}"#);
    let enc = url64(r#"{"enc":"A256GCM"}"#);
    for file in [
        format!(r#"{{"protected":"{}",{members}}}"#, url64(DIRECT)),
        format!(r#"{{{members},"aad":"WlpaWg","protected":"{}"}}"#, url64(DIRECT)),
        format!(r#"{{"unprotected":{DIRECT},{members}}}"#),
        format!(r#"{{"protected":"{enc}","header":{{"alg":"dir"}},"encrypted_key":"",{members}}}"#),
        format!(r#"{{"protected":"{enc}","unprotected":{{"alg":"A256KW"}},"encrypted_key":"{wrapped}",{members}}}"#),
        format!(r#"{{"protected":"{enc}","recipients":[{recipient}],{members}}}"#),
        format!(r#"{{"recipients":[{recipient},{recipient}],{members},"protected":"{enc}"}}"#),
        format!(r#"{{"unprotected":{DIRECT},"recipients":[{{}}],{members}}}"#),
        format!(
            "\n {{ \"protected\" :\t\"{enc}\" , \"recipients\":\r\n[ {recipient} , {recipient} ] , {members} }} \n\n"
        ),
    ] {
        assert_accepted(file, Format::JweJson);
    }
}

#[test]
fn malformed_json_is_refused() {
    let members = gcm_members();
    let protected = format!(r#""protected":"{}""#, url64(DIRECT));
    let wrapped = url64([0x5A; 40]);
    let enc = url64(r#"{"enc":"A256GCM"}"#);
    let recipient = format!(r#"{{"header":{{"alg":"A128KW"}},"encrypted_key":"{wrapped}"}}"#);
    for (file, words) in [
        ("{}".to_owned(), "no `enc`"),
        (format!("{{{members}}}"), "no `enc`"),
        (format!(r#"{{"header":{DIRECT},{members}}}"#), "no `enc`"),
        (format!("{{{protected}}}"), "initialisation vector"),
        (format!("{{{protected},{members},}}"), "not a JSON object"),
        (format!("{{{protected} {members}}}"), "malformed"),
        (format!("{{,{protected},{members}}}"), "not a JSON object"),
        (format!("{{{protected},{members}}}}}"), "continues"),
        (format!("{{{protected},{members}}}x"), "continues"),
        (format!("{{{protected},{members},\"tag\":\"AA\"}}"), "more than once"),
        (format!("{{{protected},{members},\"note\":\"Passport 123\"}}"), "does not have"),
        (format!("{{{protected},{members},\"a long name of a member\":1}}"), "does not have"),
        (format!("{{{protected},{members},\"payload\":\"AA\"}}"), "It is a JWS"),
        (r#"{"payload":"AA","signatures":[]}"#.to_owned(), "It is a JWS"),
        (format!("{{{protected},{members},\"aad\":\"Passport 123\"}}"), "not base64url"),
        (format!("{{{protected},{members},\"aad\":\"{}\"}}", "A".repeat(20_000)), "longer than 16 KiB"),
        (format!("{{{protected},{members},\"aad\":\"A\"}}"), "canonical"),
        (format!("{{{protected},{members},\"aad\":null}}"), "wrong type"),
        (format!("{{{protected},{members},\"header\":\"AA\"}}"), "wrong type"),
        (format!("{{\"protected\":{DIRECT},{members}}}"), "wrong type"),
        (format!("{{\"protected\":\"\",{members}}}"), "not a JSON object"),
        (format!("{{{protected},{members},\"header\":{{\"enc\":\"A256GCM\"}}}}"), "more than one of the JWE's headers"),
        (format!("{{{protected},{members},\"unprotected\":{{]}}}}"), "not a JSON object"),
        (format!("{{{protected},{members},\"header\":{{\"x\":\"{}\"}}}}", "x".repeat(17_000)), "larger than 16 KiB"),
        (format!("{{{protected},{members},\"encrypted_key\":\"{wrapped}\"}}"), "encrypted key"),
        (format!("{{{protected},{members},\"recipients\":[]}}"), "one or more objects"),
        (format!("{{{protected},{members},\"recipients\":[{{}},]}}"), "one or more objects"),
        (format!("{{{protected},{members},\"recipients\":[\"x\"]}}"), "one or more objects"),
        (format!("{{{protected},{members},\"recipients\":{{}}}}"), "wrong type"),
        (format!("{{{protected},{members},\"recipients\":[{{}},{{}}]}}"), "allows for no other"),
        (format!("{{{protected},{members},\"recipients\":[{{}}],\"encrypted_key\":\"\"}}"), "beside the `header`"),
        (format!("{{{protected},{members},\"recipients\":[{{\"note\":\"\"}}]}}"), "a recipient that is not"),
        (format!("{{{protected},{members},\"recipients\":[{{\"header\":7}}]}}"), "not a JSON object"),
        (format!("{{{protected},{members},\"recipients\":[{{\"encrypted_key\":7}}]}}"), "a recipient that is not"),
        (format!("{{{protected},{members},\"recipients\":[{recipient}]}}"), "more than one of the JWE's headers"),
        (
            format!(
                "{{\"protected\":\"{enc}\",{members},\"recipients\":[{recipient},{{\"header\":{{\"alg\":\"A128KW\"}}}}]}}"
            ),
            "encrypted key",
        ),
        (format!("{{\"protected\":\"{enc}\",{members},\"recipients\":[{recipient},{{}}]}}"), "no `alg`"),
        (
            format!(
                "{{\"protected\":\"{enc}\",{members},\"recipients\":[{}{recipient}]}}",
                format!("{recipient},").repeat(100)
            ),
            "more than 100 recipients",
        ),
        (format!("{{{}{protected},{members}}}", " ".repeat(70_000)), "more than 64 KiB beside"),
        (
            format!("{{{protected},{members},\"recipients\":[{{\"header\":{{\"x\":\"{}\"}}}}]}}", "x".repeat(40_000)),
            "larger than 32 KiB",
        ),
        (r#"{"passport": "123456789"}"#.to_owned(), "does not have"),
        (r"{ passport }".to_owned(), "not a JSON object"),
    ] {
        assert_refused(file, words);
    }
}

#[test]
fn truncations_and_extensions_of_json_show() {
    let members = gcm_members();
    for good in [
        format!(r#"{{"protected":"{}",{members}}}"#, url64(DIRECT)),
        format!(r#"{{{members},"unprotected":{DIRECT},"recipients":[{{}}]}}"#),
    ] {
        assert_truncations_refused(good.as_bytes(), |_| false);
        assert_extensions_refused(good.as_bytes(), |byte| b" \t\r\n".contains(&byte));
    }
}

#[test]
fn a_ciphertext_may_be_large() {
    let ciphertext = "A".repeat(4_000_000);
    let good = gcm_members().replace(&url64([0x5A; 100]), &ciphertext);
    assert_accepted(format!(r#"{{"unprotected":{DIRECT},{good}}}"#), Format::JweJson);
    let [header, _, iv, _, tag] =
        compact(DIRECT, [0, 12, 32, 16]).split('.').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
    assert_accepted(format!("{header}..{iv}.{ciphertext}.{tag}"), Format::JweCompact);
    assert_refused(format!("{header}..{iv}.{ciphertext}%{ciphertext}.{tag}"), "not base64url");
}
