// Preloaded into a real server's process (`NODE_OPTIONS=--import=FILE`): what it asks of the vendors is answered by services of
// the test. REDIRECT_HOSTS is JSON, from where an address begins, without its scheme (`api.exa.ai`, `host/path`), to where that
// leads. What it does not name is out of reach, as without a network: no test ever talks to the internet.
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";

const places = Object.entries(JSON.parse(process.env.REDIRECT_HOSTS ?? "{}"));
const requestDirectly = http.request;
const fetchDirectly = globalThis.fetch;

/** Where an address leads; undefined: it is out of reach. */
function redirected({ protocol, host, hostname, pathname, search, href }) {
  if (protocol === "data:" || /^(127\.0\.0\.1|localhost|\[::1\])$/.test(hostname)) return new URL(href);
  const address = `${host}${pathname}`;
  const [begin, target] = places.find(([each]) => address === each || address.startsWith(`${each}/`)) ?? [];
  return target === undefined ? undefined : new URL(`${target}${address.slice(begin.length)}${search}`);
}

function unreachable(hostname) {
  const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
  return Object.assign(error, { code: "ENOTFOUND", errno: -3008, syscall: "getaddrinfo", hostname });
}

/** Of the forms `request(url, options, callback)`, `request(url, callback)` and `request(options, callback)`. */
function request(scheme, ...args) {
  const callback = args.find((each) => typeof each === "function");
  const [first, second] = args.filter((each) => each !== callback);
  const hasUrl = typeof first === "string" || first instanceof URL;
  const { method, headers, auth, timeout, signal } = { ...(hasUrl ? second : first) };
  const url = hasUrl ? new URL(first) : urlOf(scheme, first);
  const kept = { method, headers, auth, timeout, signal };
  const target = redirected(url);
  if (target) return requestDirectly(target, kept, callback);
  const lookup = (hostname, _, done) => done(unreachable(hostname));
  return requestDirectly({ ...kept, hostname: url.hostname, lookup }, callback);
}

function urlOf(scheme, { protocol = scheme, hostname, host, port, path = "/" }) {
  const place = hostname ?? String(host).replace(/:\d+$/, "");
  return new URL(`${protocol}//${place}${port ? `:${port}` : ""}${path}`);
}

for (const [module, scheme] of [
  [http, "http:"],
  [https, "https:"],
]) {
  module.request = (...args) => request(scheme, ...args);
  module.get = (...args) => request(scheme, ...args).end();
}
syncBuiltinESMExports();

globalThis.fetch = async (input, init) => {
  const asked = new Request(input, init);
  const url = new URL(asked.url);
  const target = redirected(url);
  if (!target) throw new TypeError("fetch failed", { cause: unreachable(url.hostname) });
  return fetchDirectly(new Request(target, asked));
};
