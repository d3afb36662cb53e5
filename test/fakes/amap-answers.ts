// The answers of Amap's web service in the shapes that its MCP package reads, v3 and v4.
import { cities, forecast, type Place, places, routes, steps } from "./amap-data.ts";

export type AmapAnswer = Record<string, unknown>;
type Query = Record<string, string>;

export function answerTo(path: string, search: Query, key: string): AmapAnswer {
  if (search.key !== key) return refused("INVALID_USER_KEY", "10001");
  const service = services[path];
  if (!service) return refused("SERVICE_NOT_AVAILABLE", "10002");
  const missing = service.needs.some((name) => !search[name]);
  return missing ? refused("MISSING_REQUIRED_PARAMS", "20001") : service.answer(search);
}

const services: Readonly<Record<string, { needs: string[]; answer(search: Query): AmapAnswer }>> = {
  "/v3/geocode/geo": { needs: ["address"], answer: geocode },
  "/v3/geocode/regeo": { needs: ["location"], answer: regeocode },
  "/v3/weather/weatherInfo": { needs: ["city"], answer: weather },
  "/v3/direction/walking": { needs: ["origin", "destination"], answer: walking },
  "/v3/direction/driving": { needs: ["origin", "destination"], answer: driving },
  "/v3/direction/transit/integrated": { needs: ["origin", "destination", "city"], answer: transit },
  "/v4/direction/bicycling": { needs: ["origin", "destination"], answer: bicycling },
  "/v3/distance": { needs: ["origins", "destination"], answer: distance },
  "/v3/place/text": { needs: ["keywords"], answer: ({ keywords }) => found(placesNamed(keywords)) },
  "/v3/place/around": { needs: ["location"], answer: ({ keywords }) => found(placesNamed(keywords)) },
  "/v3/place/detail": { needs: ["id"], answer: ({ id }) => found(places.filter((place) => place.id === id)) },
  "/v3/ip": {
    needs: ["ip"],
    answer: () => ok({ ...beijing, rectangle: "116.0119343,39.66127144;116.7829835,40.2164962" }),
  },
};

const beijing = { province: "北京市", city: "北京市", adcode: "110000" };

function ok(body: AmapAnswer): AmapAnswer {
  return { status: "1", info: "OK", infocode: "10000", ...body };
}

export function refused(info: string, infocode: string): AmapAnswer {
  return { status: "0", info, infocode };
}

/** The fourth version says the same in other fields. */
export function inV4(answer: AmapAnswer): AmapAnswer {
  const { status, info, infocode, ...data } = answer;
  if (status === "1") return { data, errcode: 0, errdetail: null, errmsg: "OK" };
  return { data: null, errcode: Number(infocode), errdetail: null, errmsg: info };
}

// An empty list stands wherever Amap has no value, also in place of a text or an object.
function geocode({ address = "" }: Query): AmapAnswer {
  const known = placesNamed(address);
  const geocodes = known.map(({ name, district, location }) => ({
    ...{ formatted_address: `北京市${district}${name}`, country: "中国", province: "北京市", citycode: "010" },
    ...{ city: "北京市", district, township: [], neighborhood: { name: [], type: [] } },
    ...{ building: { name: [], type: [] }, adcode: "110101", street: [], number: [], location, level: "兴趣点" },
  }));
  return ok({ count: String(geocodes.length), geocodes });
}

function regeocode(): AmapAnswer {
  const addressComponent = {
    ...{ country: "中国", province: "北京市", city: [], citycode: "010", district: "东城区", adcode: "110101" },
    ...{ township: "景山街道", businessAreas: [[]], neighborhood: { name: [], type: [] } },
  };
  return ok({ regeocode: { addressComponent, formatted_address: "北京市东城区松涛路18号" } });
}

function weather({ city = "" }: Query): AmapAnswer {
  const known = cities[city] ?? Object.values(cities).find(({ adcode }) => adcode === city);
  if (!known) return ok({ count: "0", forecasts: [] });
  const { adcode, province } = known;
  const name = city.endsWith("市") ? city : `${city}市`;
  return ok({
    count: "1",
    forecasts: [{ city: name, adcode, province, reporttime: "2026-11-22 08:00:00", casts: forecast }],
  });
}

function walking({ origin, destination }: Query): AmapAnswer {
  const paths = [{ ...routes.walking, steps: steps.map((step) => ({ ...step, polyline: "", assistant_action: [] })) }];
  return ok({ count: "1", route: { origin, destination, paths } });
}

function driving({ origin, destination }: Query): AmapAnswer {
  const tolls = { tolls: "0", toll_distance: "0", toll_road: [] };
  const driven = steps.map((step) => ({ ...step, ...tolls, polyline: "", assistant_action: [], tmcs: [], cities: [] }));
  const path = {
    ...routes.driving,
    ...tolls,
    strategy: "速度最快",
    restriction: "0",
    traffic_lights: "4",
    steps: driven,
  };
  return ok({ count: "1", route: { origin, destination, taxi_cost: "18", paths: [path] } });
}

function transit({ origin, destination }: Query): AmapAnswer {
  const { distance, duration, line, from, to } = routes.transit;
  const stop = (name: string) => ({ name, id: `BV${name.length}`, location: origin });
  const busline = {
    ...{ departure_stop: stop(from), arrival_stop: stop(to), name: line, id: "900000000031", type: "地铁线路" },
    ...{
      distance: "1800",
      duration: "360",
      via_num: "1",
      via_stops: [stop("松涛路")],
      start_time: "0530",
      end_time: "2330",
    },
  };
  const walk = { origin, destination, distance: "410", duration: "351", steps: steps.slice(0, 1) };
  const ride = {
    walking: walk,
    bus: { buslines: [busline] },
    entrance: { name: "A口", location: origin },
    exit: [],
    railway: [],
  };
  const end = {
    walking: [],
    bus: { buslines: [] },
    entrance: [],
    exit: { name: "C口", location: destination },
    railway: [],
  };
  const way = {
    cost: "3.0",
    duration,
    nightflag: "0",
    walking_distance: "410",
    distance,
    missed: "0",
    segments: [ride, end],
  };
  return ok({ count: "1", route: { origin, destination, distance, taxi_cost: "18", transits: [way] } });
}

function bicycling({ origin, destination }: Query): AmapAnswer {
  const ridden = steps.map((step) => ({ ...step, distance: Number(step.distance), duration: Number(step.duration) }));
  return ok({ origin, destination, paths: [{ ...routes.bicycling, steps: ridden }] });
}

function distance({ origins = "" }: Query): AmapAnswer {
  const results = origins
    .split("|")
    .map((_, index) => ({ origin_id: String(index + 1), dest_id: "1", ...routes.driving }));
  return ok({ results });
}

function placesNamed(words = ""): readonly Place[] {
  return places.filter(({ name, type }) => `${name}${type}`.includes(words) || (words !== "" && words.includes(name)));
}

function found(known: readonly Place[]): AmapAnswer {
  const pois = known.map(({ district, rating, ...place }) => ({
    ...{ ...place, parent: [], pname: "北京市", cityname: "北京市", adname: district, importance: [], alias: [] },
    ...{ shopid: [], distance: [], business_area: "映月湖", biz_ext: { rating, cost: [] } },
    photos: [{ title: [], url: `http://store.is.autonavi.com/showpic/${place.id}` }],
  }));
  return ok({ count: String(pois.length), suggestion: { keywords: [], cities: [] }, pois });
}
