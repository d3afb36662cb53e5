import { agent } from "./agent.ts";
import { client } from "./client.ts";
import { evalMutations } from "./eval.ts";
import { files } from "./files.ts";
import { hookMutations } from "./hooks.ts";
import { http } from "./http.ts";
import { core } from "./kit.ts";
import type { Mutation } from "./mutation.ts";
import { providers } from "./providers.ts";
import { records } from "./records.ts";
import { server } from "./server.ts";
import { signInMutations } from "./sign-in.ts";
import { tools } from "./tools.ts";

/** A1 to X4 are those of a review of the tests; the others were added to look for what nobody notices. */
export const mutations: readonly Mutation[] = [
  ...agent,
  ...core,
  ...client,
  ...server,
  ...records,
  ...http,
  ...signInMutations,
  ...tools,
  ...files,
  ...providers,
  ...hookMutations,
  ...evalMutations,
];
