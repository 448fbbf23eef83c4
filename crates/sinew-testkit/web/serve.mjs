// Shows a page in headless Chromium: node serve.mjs PAGE FOLDER MODELS. Serves the files of three folders as /page, /jobs and /models, and the packages that are installed in
// the current folder as /npm; writes what the page sends to /result into FOLDER, and ends when the page says so.
import { spawn } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join, normalize } from "node:path";

const [here, folder, models] = process.argv.slice(2);
const roots = { page: here, npm: join(process.cwd(), "node_modules"), models, jobs: folder };
const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

function send(path, response) {
  const [, root, ...rest] = path.split("/");
  const file = roots[root] && join(roots[root], normalize("/" + rest.map(decodeURIComponent).join("/")));
  if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
    response.writeHead(404).end();
    return;
  }
  const type = types[file.slice(file.lastIndexOf("."))] ?? "application/octet-stream";
  response.writeHead(200, { "Content-Type": type });
  createReadStream(file).pipe(response);
}

async function take(path, request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  response.writeHead(204).end();
  if (path.startsWith("/result/")) writeFileSync(join(folder, basename(path)), body);
  if (path === "/note") console.error(body.toString());
  if (path === "/end") end(body.length === 0 ? 0 : 1, body.toString());
}

const server = createServer((request, response) => {
  const path = request.url.split("?")[0];
  if (request.method === "POST") take(path, request, response);
  else send(path, response);
});
server.listen(0, "127.0.0.1", start);

const profile = mkdtempSync(join(tmpdir(), "sinew-chromium-"));
let browser;
function start() {
  const flags = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run"];
  const page = `http://127.0.0.1:${server.address().port}/page/page.html`;
  // A process group of its own, so that all of it can be ended.
  browser = spawn("chromium", [...flags, `--user-data-dir=${profile}`, page], { detached: true, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  browser.stderr.on("data", (text) => (said = (said + text).slice(-4000)));
  browser.on("error", (error) => end(1, String(error)));
  browser.on("exit", (code) => end(1, `chromium ended with ${code}: ${said}`));
}

let ended = false;
function end(code, message) {
  if (ended) return;
  ended = true;
  if (message) console.error(message);
  try {
    process.kill(-browser.pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}
setTimeout(() => end(1, "the page did not finish in time"), 300_000);
