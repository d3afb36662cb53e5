/**
 * Reads a time as logs and people write it, and returns milliseconds since 1970. A time without a zone counts as UTC, in the log
 * and in a filter alike, so that the two can be compared.
 */
export function readTime(text: string, thisYear: number): number | undefined {
  return readIso(text) ?? readSyslog(text, thisYear) ?? readAccess(text);
}

const iso =
  /^(\d{4})[-/年](\d\d?)[-/月](\d\d?)日?(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

function readIso(text: string): number | undefined {
  const [all, year, month, day, hour = "00", minute = "00", second = "00", fraction = "0", zone] = iso.exec(text) ?? [];
  if (all === undefined) return undefined;
  const [paddedMonth = "", paddedDay = ""] = [month, day].map((part = "") => part.padStart(2, "0"));
  return timeOf(
    `${year}-${paddedMonth}-${paddedDay}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}`,
    zone,
  );
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// Classic syslog writes no year.
function readSyslog(text: string, thisYear: number): number | undefined {
  const [, month = "", day = "", clock] = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d)$/.exec(text) ?? [];
  return clock === undefined
    ? undefined
    : timeOf(`${thisYear}-${monthNumber(month)}-${day.padStart(2, "0")}T${clock}`, undefined);
}

function readAccess(text: string): number | undefined {
  const [, day, month = "", year, clock, zone] =
    /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})$/.exec(text) ?? [];
  return clock === undefined ? undefined : timeOf(`${year}-${monthNumber(month)}-${day}T${clock}`, zone);
}

function monthNumber(name: string): string {
  return `${months.indexOf(name) + 1}`.padStart(2, "0");
}

function timeOf(local: string, zone: string | undefined): number | undefined {
  const offset = (zone ?? "Z").toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, "$1:$2");
  const ms = Date.parse(`${local}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}
