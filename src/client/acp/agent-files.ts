import { type ReadTextFileRequest, RequestError, type WriteTextFileRequest } from "@agentclientprotocol/sdk";
import type { ApprovalRequest } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { getMessage } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { AgentConsent } from "./consent.ts";
import type { ShownCall } from "./permissions.ts";
import { applyChange, type Change } from "./read-changes.ts";
import { shortenChange } from "./shorten-change.ts";

/** Reads and writes files for an agent, within its roots. Each method rejects, in words for the agent, for a file that is not allowed. */
export interface AgentFiles {
  read(path: string, part: { line?: number | undefined; limit?: number | undefined }): Promise<string>;
  /** Finds the file that a write would change; `before` is its text, and undefined where there is none yet. */
  open(path: string): Promise<WritableFile>;
  /** Returns the real path of a folder within the roots, and undefined for everything else. */
  findFolder(path: string): Promise<string | undefined>;
}

export interface WritableFile {
  /** Is its real path. */
  path: string;
  before: string | undefined;
  write(content: string): Promise<void>;
}

/** Serves what an agent asks of files while it works on one question. */
export interface FileRequests {
  read(params: ReadTextFileRequest): Promise<{ content: string }>;
  write(params: WriteTextFileRequest): Promise<Record<string, never>>;
  /** Remembers changes that a person has seen and agreed to, so that the write itself is not asked about once more. */
  agree(shown: ShownCall): void;
}

export interface FileRequestOptions {
  files: AgentFiles;
  consent: AgentConsent;
  /** Is the name of the agent's tool. */
  tool: string;
  rule: string;
}

/** Limits the agreed changes that are remembered for a write. A change that is not is asked about once more. */
const mostAgreed = 20;

export function createFileRequests({ files, consent, tool, rule }: FileRequestOptions): FileRequests {
  const agreed: Change[] = [];

  /** Takes the agreement to a change, which counts for one write of just that content. */
  async function takeAgreed({ path, before }: WritableFile, content: string): Promise<boolean> {
    for (const change of [...agreed]) {
      if (applyChange(change, before) !== content) continue;
      const file = await ignoreRejection(files.open(change.path), "a file that is not allowed is not the one to write");
      // Another write may have taken it meanwhile.
      if (file?.path !== path || !agreed.includes(change)) continue;
      agreed.splice(agreed.indexOf(change), 1);
      return true;
    }
    return false;
  }

  return {
    async read({ path, line, limit }) {
      try {
        return { content: await files.read(path, { line: line ?? undefined, limit: limit ?? undefined }) };
      } catch (thrown) {
        throw toRefusal(thrown);
      }
    },
    async write({ path, content }) {
      try {
        const file = await files.open(path);
        if (!(await takeAgreed(file, content))) {
          const answer = await consent.ask(toWriteRequest(file, content, { tool, rule }));
          if (answer !== "once" && answer !== "conversation")
            throw new Error("The user did not agree to this write. Do not write this file in another way.");
        }
        await file.write(content);
        return {};
      } catch (thrown) {
        throw toRefusal(thrown);
      }
    },
    agree({ changes }) {
      agreed.push(...changes);
      agreed.splice(0, agreed.length - mostAgreed);
    },
  };
}

function toWriteRequest(
  { path, before }: WritableFile,
  content: string,
  { tool, rule }: Pick<FileRequestOptions, "tool" | "rule">,
): ApprovalRequest {
  const change: JsonObject = before === undefined ? { path, content } : { path, ...shortenChange(before, content) };
  return { tool: `${tool}__write`, arguments: change, rule, onlyOnce: true };
}

function toRefusal(thrown: unknown): RequestError {
  return new RequestError(-32_602, getMessage(thrown));
}
