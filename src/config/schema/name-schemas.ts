import * as z from "zod";
import { isOffline } from "../../core/model/model.ts";
import { createLazy } from "../../kit/create-lazy.ts";
import { withAllowed } from "./with-allowed.ts";

// Upper case only: a key pasted here by mistake is refused, not looked up and named in an error.
export const variable = createLazy(() =>
  z
    .string()
    .refine(
      (name) => /^[A-Z_][A-Z0-9_]*$/.test(name),
      withAllowed({ zh: "大写的环境变量名", en: "a variable name in capitals" }),
    ),
);

export const variableName = createLazy(() =>
  z
    .string()
    .refine(
      (name) => /^[^=\0]+$/.test(name),
      withAllowed({ zh: "环境变量名", en: "the name of an environment variable" }),
    ),
);

// It becomes a part of an address.
export const cloudName = createLazy(() =>
  z.string().refine(
    (name) => /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(name),
    withAllowed({
      zh: "1 到 100 个字母、数字、. _ : -，以字母或数字开头",
      en: "1 to 100 letters, digits, . _ : -, a letter or digit first",
    }),
  ),
);

// A slash would make `provider/model` ambiguous; `offline` is not a vendor.
export const providerName = createLazy(() =>
  z.string().refine(
    (name) => /^[A-Za-z0-9_.-]{1,40}$/.test(name) && !isOffline({ provider: name }),
    withAllowed({
      zh: "1 到 40 个字母、数字、_ . -，且不是 offline",
      en: "1 to 40 letters, digits, _ . -, and not offline",
    }),
  ),
);

// A server's name is the prefix of its tools, `server__tool`. Were `__` or a last `_` allowed in it, two servers could
// own one prefix, and a pattern meant for the tools of one would reach those of the other; a dot counts as `_` because
// tool names have none. `builtin`, `user` and `skills` are what Duet calls its own tools.
export const serverName = createLazy(() =>
  z.string().refine(
    (name) =>
      /^[A-Za-z0-9_.-]{1,40}$/.test(name) &&
      !/[_.]{2}|[_.]$/.test(name) &&
      !["builtin", "user", "skills"].includes(name),
    withAllowed({
      zh: "1 到 40 个字母、数字、_ . -，其中 _ 和 . 不连用、不在末尾，且不是 builtin、user 或 skills",
      en: "1 to 40 letters, digits, _ . -; _ and . neither next to each other nor at the end; not builtin, user or skills",
    }),
  ),
);

// The tool of an agent is `agent_NAME`, and those of four names are Duet's own; `main` is the main agent.
export const agentName = createLazy(() =>
  z.string().refine(
    (name) => /^[A-Za-z0-9_-]{1,40}$/.test(name) && !["main", "ask", "result", "cancel", "message"].includes(name),
    withAllowed({
      zh: "1 到 40 个字母、数字、_ -，且不是 main、ask、result、cancel 或 message",
      en: "1 to 40 letters, digits, _ -; not main, ask, result, cancel or message",
    }),
  ),
);

export const headerName = createLazy(() =>
  z
    .string()
    .refine(
      (name) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name),
      withAllowed({ zh: "HTTP 头名称", en: "the name of an HTTP header" }),
    )
    .refine(
      (name) => !connectionHeaders.has(name.toLowerCase()),
      withAllowed({
        zh: "HTTP 头名称，但不能是描述连接或正文的头（如 Content-Length）",
        en: "the name of an HTTP header, but none that describes the connection or the body, as Content-Length does",
      }),
    ),
);

/** Lists headers that say how a request is sent. The client that sends it writes them, and others would have it read wrongly. */
const connectionHeaders = new Set([
  ...["connection", "content-length", "expect", "keep-alive", "proxy-connection", "te", "trailer"],
  ...["transfer-encoding", "upgrade"],
]);

export const headerValue = createLazy(() =>
  z
    .string()
    .refine(
      (value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
      withAllowed({ zh: "不含换行和控制字符的文本", en: "a string without line breaks or control characters" }),
    ),
);

// The characters of RFC 6749, section 3.3.
export const scope = createLazy(() =>
  z
    .string()
    .refine(
      (written) => /^[!#-[\]-~]+$/.test(written),
      withAllowed({ zh: "不含空格、引号和反斜杠的 ASCII 文本", en: "ASCII without spaces, quotes and backslashes" }),
    ),
);

export const token = createLazy(() =>
  z
    .string()
    .refine(
      (written) => /^[\x21-\x7e]+$/.test(written),
      withAllowed({ zh: "不含空格的 ASCII 文本", en: "ASCII without spaces" }),
    ),
);
