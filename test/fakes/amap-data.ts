// What the fake Amap service knows: Amap's fields, and Chinese data of our own making. No such place exists, and no such weather was.

export interface Place {
  id: string;
  name: string;
  address: string;
  /** `longitude,latitude`. */
  location: string;
  type: string;
  typecode: string;
  tel: string;
  district: string;
  rating: string;
}

export const places: readonly Place[] = [
  {
    ...{ id: "B0DUET0001", name: "云帆图书馆", address: "松涛路18号", location: "116.397001,39.918002" },
    ...{
      type: "科教文化服务;图书馆;图书馆",
      typecode: "140500",
      tel: "010-5550001",
      district: "东城区",
      rating: "4.7",
    },
  },
  {
    ...{ id: "B0DUET0002", name: "青禾茶馆(湖畔店)", address: "映月湖西岸3号", location: "116.412003,39.921004" },
    ...{ type: "餐饮服务;茶艺馆;茶艺馆", typecode: "050600", tel: "010-5550002", district: "东城区", rating: "4.9" },
  },
  {
    ...{ id: "B0DUET0003", name: "映月湖公园", address: "映月湖路1号", location: "116.415005,39.925006" },
    ...{ type: "风景名胜;公园广场;公园", typecode: "110101", tel: "010-5550003", district: "东城区", rating: "4.6" },
  },
];

interface Step {
  instruction: string;
  road: string;
  orientation: string;
  distance: string;
  duration: string;
  action: string;
}

export const steps: readonly Step[] = [
  {
    ...{ instruction: "沿松涛路向北行进420米左转", road: "松涛路", orientation: "北" },
    ...{ distance: "420", duration: "336", action: "左转" },
  },
  {
    ...{ instruction: "沿映月湖路向东行进873米到达目的地", road: "映月湖路", orientation: "东" },
    ...{ distance: "873", duration: "698", action: "" },
  },
];

/** Metres and seconds of the one route that there is, by how it is travelled. */
export const routes = {
  walking: { distance: "1293", duration: "1034" },
  driving: { distance: "2461", duration: "517" },
  bicycling: { distance: 1388, duration: 371 },
  transit: { distance: "2210", duration: "1266", line: "地铁31号线(云帆路--映月湖)", from: "云帆路", to: "映月湖" },
} as const;

export const forecast = [
  {
    ...{ date: "2026-11-22", week: "7", dayweather: "晴", nightweather: "多云", daytemp: "13", nighttemp: "2" },
    ...{ daywind: "西北", nightwind: "北", daypower: "1-3", nightpower: "1-3" },
    ...{ daytemp_float: "13.0", nighttemp_float: "2.0" },
  },
  {
    ...{ date: "2026-11-23", week: "1", dayweather: "小雨", nightweather: "阴", daytemp: "9", nighttemp: "4" },
    ...{ daywind: "东", nightwind: "东", daypower: "4", nightpower: "1-3" },
    ...{ daytemp_float: "9.0", nighttemp_float: "4.0" },
  },
];

/** Cities that it knows, by name, with their adcode and city code. */
export const cities: Readonly<Record<string, { adcode: string; citycode: string; province: string }>> = {
  北京: { adcode: "110000", citycode: "010", province: "北京" },
  北京市: { adcode: "110000", citycode: "010", province: "北京" },
  杭州: { adcode: "330100", citycode: "0571", province: "浙江" },
};
