import type { Argv } from "yargs";
import { hostNames } from "../../src/cli/install/hosts.ts";
import { serveOptions } from "../options.ts";
import { toYargsOptions, yes } from "./command-options.ts";

export function addInstallOptions(it: Argv) {
  return it.positional("host", { type: "string", choices: hostNames }).options(
    toYargsOptions({
      name: { type: "string", describe: "the server's name in the host (duet)" },
      project: { type: "boolean", describe: "for the project in this folder, not for the user" },
      expose: serveOptions.expose,
      "list-limit": serveOptions["list-limit"],
      "with-env": {
        type: "boolean",
        describe: "writes the values of the variables that the configuration uses into the entry",
      },
      "dry-run": { type: "boolean", describe: "only shows the change" },
      remove: { type: "boolean", describe: "removes Duet from a host" },
      yes,
    }),
  );
}
