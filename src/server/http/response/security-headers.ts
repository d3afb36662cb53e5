/**
 * Holds what goes with every answer. Browsers must not guess its type, send its address elsewhere, let another site's page load it or keep a
 * handle on it, or give it devices that it has no use for.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": [
    "accelerometer",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "hid",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "serial",
    "usb",
  ]
    .map((device) => `${device}=()`)
    .join(", "),
};

/** The answers are for one caller, so that nobody keeps them; a page that is the same for everybody says otherwise itself. */
export function setSecurityHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(securityHeaders))
    if (name !== "referrer-policy" || !headers.has(name)) headers.set(name, value);
  const caching = headers.get("cache-control");
  if (caching !== "no-cache")
    headers.set("cache-control", caching?.includes("no-transform") ? "no-store, no-transform" : "no-store");
  if (!headers.has("content-security-policy"))
    headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
}
