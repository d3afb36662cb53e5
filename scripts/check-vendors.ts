// Ends `npm run docs` where a row of the vendors lacks what every row has. It is imported first: without types, the tables that
// are read after it would only fail with a `TypeError` that names neither the vendor nor the member.
import { vendors } from "../src/providers/vendors.ts";

const needed = ["wire", "baseUrl", "temperature", "quirks"] as const;

for (const [id, vendor] of Object.entries(vendors)) {
  const missing = needed.find((member) => vendor[member] === undefined);
  if (missing === undefined) continue;
  console.error(`src/providers: the vendor ${id} has no ${missing} (needed: ${needed.join(", ")})`);
  process.exit(1);
}
