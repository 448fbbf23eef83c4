// Runs the Khronos validator over the files named on the command line; prints what it finds as JSON, a line per file.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const validator = require("gltf-validator");

for (const path of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), {
    maxIssues: 20,
    severityOverrides: {},
    externalResourceFunction: async (uri) =>
      new Uint8Array(readFileSync(join(dirname(path), decodeURIComponent(uri)))),
  });
  const { numErrors, numWarnings, messages } = report.issues;
  const serious = messages.filter((m) => m.severity <= 1).map((m) => `${m.code} ${m.pointer ?? ""} ${m.message}`);
  console.log(JSON.stringify({ path, errors: numErrors, warnings: numWarnings, messages: serious }));
}
