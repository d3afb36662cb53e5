import { createHash } from "node:crypto";
import { type Locale, say, type Text } from "../../../../kit/locale.ts";
import { escapeHtml } from "../../../../kit/text/escape-html.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";

/** Says what the page at `/signin` shows. Addresses are whole. */
export interface SignInView {
  locale: Locale;
  /** Is the host of the provider, and undefined where nobody can sign in. */
  provider: string | undefined;
  /** Is who is signed in. */
  person?: { name: string; until: string } | undefined;
  /** Says what went wrong, or what was done. */
  message?: { text: Text; isProblem: boolean } | undefined;
  addresses: { start: string; out: string; home: string };
  /** Lists the origins to which the browser is sent when the form has been sent. */
  formOrigins?: readonly string[] | undefined;
  status?: number | undefined;
}

const style = `:root{color-scheme:light dark}
body{font:16px/1.6 system-ui,sans-serif;max-width:26rem;margin:12vh auto;padding:0 1rem}
h1{font-size:1.4rem}
a,button{font:inherit}
.go{display:inline-block;padding:.4rem 1rem;border:1px solid;border-radius:.4rem;background:none;color:inherit;text-decoration:none;cursor:pointer}
.go+.go,form{margin-top:.75rem}
.problem{border-left:.25rem solid #c0392b;padding-left:.75rem}
p{overflow-wrap:anywhere}`;

const styleHash = `sha256-${createHash("sha256").update(style).digest("base64")}`;

/** Renders the page. It has no script, and all that comes from elsewhere is text. */
export function renderSignInPage(view: SignInView): Response {
  const { locale, message, formOrigins = [], status = 200 } = view;
  const title = say(locale, { zh: "登录 Duet", en: "Sign in to Duet" });
  const lines = [
    `<h1>${title}</h1>`,
    ...(message
      ? [`<p${message.isProblem ? ' class="problem"' : ""} role="status">${escapeText(say(locale, message.text))}</p>`]
      : []),
    ...renderState(view),
  ];
  const html = `<!doctype html>
<html lang="${locale === "zh" ? "zh-CN" : "en"}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>${title}</title><style>${style}</style></head>
<body><main>
${lines.join("\n")}
</main></body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    "img-src data:",
    "base-uri 'none'",
    `form-action 'self' ${formOrigins.join(" ")}`.trim(),
    "frame-ancestors 'none'",
  ];
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      // Without a referrer a form would come from the origin `null`, which nobody can check.
      "referrer-policy": "same-origin",
      vary: "Accept-Language",
    },
  });
}

function renderState({ locale, provider, person, addresses }: SignInView): string[] {
  const renderLink = (address: string, text: Text): string =>
    `<a class="go" href="${escapeText(address)}">${escapeText(say(locale, text))}</a>`;
  if (provider === undefined) return [renderParagraph(locale, noProvider)];
  const start = renderLink(addresses.start, { zh: `用 ${provider} 登录`, en: `Sign in with ${provider}` });
  if (person === undefined) return [renderParagraph(locale, signedOut), start];
  const { name, until } = person;
  return [
    renderParagraph(locale, { zh: `已登录：${name}（${provider}）`, en: `Signed in as ${name} (${provider})` }),
    renderParagraph(locale, { zh: `登录有效至 ${until}`, en: `The sign-in ends at ${until}` }),
    renderLink(addresses.home, { zh: "打开 Duet", en: "Open Duet" }),
    `<form method="post" action="${escapeText(addresses.out)}"><button class="go">${say(locale, signOut)}</button></form>`,
  ];
}

function renderParagraph(locale: Locale, text: Text): string {
  return `<p>${escapeText(say(locale, text))}</p>`;
}

const signOut: Text = { zh: "退出登录", en: "Sign out" };
const signedOut: Text = { zh: "你还没有登录。", en: "You are not signed in." };
const noProvider: Text = {
  zh: "这个服务器没有配置登录（serve.http.auth.signIn）；请在网页中使用令牌。",
  en: "This server has no sign-in configured (serve.http.auth.signIn); use a token on its page.",
};

function escapeText(text: string): string {
  return escapeHtml(sanitizeLine(text));
}
