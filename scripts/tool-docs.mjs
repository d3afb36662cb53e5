// Writes docs/tools.md and docs/tools.zh.md from the definitions of the built-in tools.
import { writeFile } from "node:fs/promises";
import { documentBuiltinTools } from "../src/tools/tool-documents.ts";

await writeFile("docs/tools.md", documentBuiltinTools("en"));
await writeFile("docs/tools.zh.md", documentBuiltinTools("zh"));
