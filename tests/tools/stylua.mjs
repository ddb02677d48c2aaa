// stylua.mjs MODULES check|write FILE|DIRECTORY…: StyLua's library from npm behind a command line.
//
// The library is WebAssembly, so it needs no download of a binary. The style is read from stylua.toml in the
// working directory, which editors read too; only `key = value` lines are understood there.

import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, mode, ...roots] = process.argv.slice(2);
const stylua = createRequire(join(resolve(modules), "package.json"))("@johnnymorganz/stylua");

const ENUMS = {
  call_parentheses: stylua.CallParenType,
  collapse_simple_statement: stylua.CollapseSimpleStatement,
  indent_type: stylua.IndentType,
  quote_style: stylua.QuoteStyle,
  syntax: stylua.LuaVersion,
};

/** The settings of stylua.toml, by name, as the library wants them. */
function settings() {
  const found = [];
  for (const line of readFileSync("stylua.toml", "utf8").split("\n")) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, key, text] = line.match(/^(\w+)\s*=\s*(.+?)\s*$/) ?? [];
    const value = key && (ENUMS[key] ? ENUMS[key][JSON.parse(text)] : JSON.parse(text));
    if (value === undefined) throw new Error(`stylua.toml: not understood: ${line}`);
    found.push([key, value]);
  }
  return found;
}

/** Every Lua file below a path, or the path itself. */
function* luaFiles(path) {
  if (!statSync(path).isDirectory()) return yield path;
  for (const name of readdirSync(path).sort()) {
    const inner = join(path, name);
    if (statSync(inner).isDirectory() || name.endsWith(".lua")) yield* luaFiles(inner);
  }
}

const style = settings();
let wrong = 0;
let count = 0;
for (const file of roots.flatMap((root) => [...luaFiles(root)])) {
  count += 1;
  const before = readFileSync(file, "utf8");
  // The library takes a configuration away with each call.
  const config = Object.assign(stylua.Config.new(), Object.fromEntries(style));
  let after;
  try {
    after = stylua.formatCode(before, config, undefined, stylua.OutputVerification.None);
  } catch (error) {
    console.error(`${file}: ${error}`);
    wrong += 1;
    continue;
  }
  if (before === after) continue;
  if (mode === "write") {
    writeFileSync(file, after);
    console.log(`formatted ${file}`);
    continue;
  }
  const lines = after.split("\n");
  const at = before.split("\n").findIndex((line, row) => line !== lines[row]);
  console.error(`${file}:${at + 1}: not as StyLua writes it (make fmt); it would be: ${lines[at] ?? ""}`);
  wrong += 1;
}
console.log(`stylua: ${count} files, ${wrong} to mend`);
process.exit(wrong === 0 ? 0 : 1);
