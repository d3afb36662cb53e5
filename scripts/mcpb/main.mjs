// Where the bundle begins: turns what its user has filled in into a command line of `duet serve`.
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("duet.js", import.meta.url));

// A host leaves the placeholder of a field that was left empty as it is.
for (const [name, value] of Object.entries(process.env))
  if (/^\$\{user_config\.[^}]*\}$/.test(value)) delete process.env[name];

const { DUET_BUNDLE_CONFIG: config, DUET_BUNDLE_LOCALE: locale } = process.env;
process.argv = [
  ...[process.execPath, program, "serve"],
  ...(config ? ["--config", config] : []),
  ...(locale === "zh" || locale === "en" ? ["--locale", locale] : []),
];
await import("./duet.js");
