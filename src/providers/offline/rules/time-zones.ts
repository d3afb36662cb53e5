/** The IANA zone of a city or of a zone's name, `here` for words that mean no other place, undefined when unknown. */
export function findTimeZone(place: string): string | undefined {
  const wanted = place
    .toLowerCase()
    .replace(/^the\s+/, "")
    .replace(/[\s_]+/g, "_");
  return named.get(wanted) ?? Intl.supportedValuesOf("timeZone").find((zone) => isNamed(zone.toLowerCase(), wanted));
}

function isNamed(zone: string, wanted: string): boolean {
  return zone === wanted || zone.endsWith(`/${wanted}`);
}

// Places that no zone is named after, and the Chinese names of those that people ask for most.
const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    here: "here my_city 本地 这里 这儿 当地",
    UTC: "utc gmt 世界 格林尼治",
    "Asia/Shanghai": "beijing china shenzhen guangzhou hangzhou 中国 北京 上海 深圳 广州 杭州",
    "Asia/Hong_Kong": "香港",
    "Asia/Taipei": "台北",
    "Asia/Tokyo": "japan osaka 日本 东京 大阪",
    "Asia/Seoul": "korea 韩国 首尔",
    "Asia/Singapore": "新加坡",
    "Asia/Bangkok": "曼谷",
    "Asia/Dubai": "迪拜",
    "Asia/Kolkata": "india delhi new_delhi mumbai bangalore 印度 孟买 新德里",
    "Europe/London": "uk england 英国 伦敦",
    "Europe/Paris": "france 法国 巴黎",
    "Europe/Berlin": "germany munich frankfurt 德国 柏林",
    "Europe/Moscow": "莫斯科",
    "America/New_York": "nyc washington boston 纽约 华盛顿 波士顿",
    "America/Chicago": "芝加哥",
    "America/Los_Angeles": "san_francisco seattle la 洛杉矶 旧金山 西雅图",
    "America/Toronto": "多伦多",
    "Australia/Sydney": "悉尼",
  }).flatMap(([zone, places]) => places.split(" ").map((place): [string, string] => [place, zone])),
);
