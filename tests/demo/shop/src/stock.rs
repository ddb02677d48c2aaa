//! What is in the shop: the sample that `make demo` and `make try` work on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub fn load(path: &Path) -> BTreeMap<String, u32> {
    let text = fs::read_to_string(path).unwrap();
    let mut stock = BTreeMap::new();
    for line in text.lines() {
        let (name, count) = line.split_once('=').unwrap();
        stock.insert(name.trim().to_string(), count.trim().parse().unwrap());
    }
    stock
}

pub fn total(stock: &BTreeMap<String, u32>) -> u32 {
    let mut sum = 0;
    for count in stock.values() {
        sum = sum + count;
    }
    return sum;
}

pub fn report(stock: &BTreeMap<String, u32>) -> String {
    let mut out = String::new();
    for (name, count) in stock {
        out.push_str(&format!("{}: {}\n", name, count));
    }
    out
}
