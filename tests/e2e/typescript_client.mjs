// A client on the TypeScript SDK: node typescript_client.mjs SDK_FOLDER CALLS COMMAND [ARGUMENT ...]
// Lists the tools, then makes the calls ([[name, arguments], ...] as JSON); prints one JSON line for each.

import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, calls, command, ...args] = process.argv.slice(2);
const require = createRequire(join(folder, "client.js"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const client = new Client({ name: "typescript", version: "1" });
await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
const { tools } = await client.listTools();
console.log(JSON.stringify(tools.map((tool) => tool.name)));
for (const [name, given] of JSON.parse(calls)) {
  console.log(JSON.stringify(await client.callTool({ name, arguments: given })));
}
await client.close();
