import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { DuetError } from "../../kit/errors.ts";
import type { OpenPages } from "./auth/open-auth.ts";

interface Page {
  readonly plain: Buffer<ArrayBuffer>;
  readonly packed: Buffer<ArrayBuffer>;
  /** Is the page's content security policy. */
  readonly policy: string;
}

/** Serves the page at `/` for browsers. It contains no data, so anybody may load it. It is read on the first request. */
export function createChatPages(): OpenPages {
  let read: Promise<Page> | undefined;
  return {
    async "/"(request) {
      read ??= readPage();
      const page = await read.catch((thrown: unknown) => {
        read = undefined;
        throw thrown;
      });
      const isPacked = isGzipAccepted(request.headers.get("accept-encoding") ?? "");
      return new Response(isPacked ? page.packed : page.plain, {
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": page.policy,
          vary: "Accept-Encoding",
          ...(isPacked ? { "content-encoding": "gzip" } : {}),
        },
      });
    },
  };
}

function isGzipAccepted(accepted: string): boolean {
  return accepted.split(",").some((each) => /^\s*(gzip|\*)\s*(;(?!\s*q=0(\.0*)?\s*$).*)?$/i.test(each));
}

/** The page is beside the built program. When the program runs from its sources, the page is where the build puts it. */
async function readPage(): Promise<Page> {
  const folder = import.meta.url.endsWith(".ts") ? "../../../dist/" : "./";
  try {
    const read = (name: string) => readFile(new URL(folder + name, import.meta.url));
    const [plain, packed] = await Promise.all([read("chat-page.html"), read("chat-page.html.gz")]);
    return { plain, packed, policy: createPolicy(plain.toString("utf8")) };
  } catch (cause) {
    throw new DuetError({
      code: "internal",
      text: { zh: "缺少页面文件 dist/chat-page.html。", en: "The page's file dist/chat-page.html is missing." },
      hint: { zh: "请运行 npm run build。", en: "Run npm run build." },
      cause,
    });
  }
}

/** The page may run only its own script and style, may connect only to this server, and may not turn text into markup. */
function createPolicy(html: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashElement(html, "script")}'`,
    `style-src '${hashElement(html, "style")}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

function hashElement(html: string, name: "script" | "style"): string {
  const open = `<${name}>`;
  const start = html.indexOf(open) + open.length;
  const text = html.slice(start, html.indexOf(`</${name}>`, start));
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
