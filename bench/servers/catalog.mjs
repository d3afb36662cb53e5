// A made-up catalog of 100 servers with 20 tools each, all different: ten verbs for each of two things. Every second server
// describes its tools in Chinese. Of the first four, tools that real servers listed (test/fixtures/real-tools.jsonl) take the place.
import { readFileSync } from "node:fs";

const verbs = [
  ["create", "Creates", "创建"],
  ["get", "Returns", "查看"],
  ["list", "Lists", "列出"],
  ["update", "Updates", "更新"],
  ["delete", "Deletes", "删除"],
  ["search", "Searches", "搜索"],
  ["export", "Exports", "导出"],
  ["share", "Shares", "分享"],
  ["archive", "Archives", "归档"],
  ["count", "Counts", "统计"],
];

/** A line for each server: its name, and two things with their Chinese names. */
const services = `
billing invoice 发票, refund 退款
payroll payslip 工资单, bonus 奖金
hr employee 员工, vacation 休假
recruiting candidate 候选人, interview 面试
crm customer 客户, lead 销售线索
helpdesk complaint 投诉, reply 回复
legal contract 合同, clause 条款
procurement supplier 供应商, quotation 报价单
warehouse pallet 托盘, stocktake 盘点
shipping parcel 包裹, waybill 运单
fleet vehicle 车辆, refuelling 加油记录
insurance policy 保单, claim 理赔
bank transfer 转账, statement 对账单
trading portfolio 投资组合, dividend 股息
tax declaration 报税表, deduction 抵扣
realty apartment 公寓, lease 租约
clinic patient 病人, prescription 处方
pharmacy medicine 药品, dosage 剂量
fitness workout 训练, trainer 教练
school pupil 学生, homework 作业
university lecture 讲座, scholarship 奖学金
library novel 小说, loan 借阅
museum exhibition 展览, artifact 文物
theatre performance 演出, actor 演员
cinema movie 电影, trailer 预告片
radio podcast 播客, episode 节目
concert ticket 门票, venue 场馆
sports match 比赛, referee 裁判
chess opening 开局, tournament 锦标赛
travel itinerary 行程, visa 签证
airport gate 登机口, luggage 行李
railway carriage 车厢, timetable 时刻表
harbour vessel 船舶, berth 泊位
bakery recipe 食谱, oven 烤箱
winery vineyard 葡萄园, barrel 酒桶
farm crop 作物, tractor 拖拉机
garden plant 植物, fertilizer 肥料
zoo animal 动物, enclosure 围栏
veterinary vaccine 疫苗, pet 宠物
forestry timber 木材, sawmill 锯木厂
mining drill 钻机, ore 矿石
energy turbine 涡轮机, meter 电表
water reservoir 水库, pump 水泵
waste container 垃圾箱, landfill 填埋场
construction blueprint 蓝图, crane 起重机
architecture facade 立面, elevator 电梯
painting canvas 画布, gallery 画廊
sculpture statue 雕像, bronze 青铜
fashion garment 服装, fabric 面料
jewelry necklace 项链, gemstone 宝石
cosmetics perfume 香水, lipstick 口红
furniture sofa 沙发, wardrobe 衣柜
kitchen dishwasher 洗碗机, refrigerator 冰箱
printing poster 海报, brochure 宣传册
publishing manuscript 手稿, royalty 版税
newspaper editorial 社论, obituary 讣告
election ballot 选票, candidateship 参选
parliament amendment 修正案, committee 委员会
court verdict 判决, witness 证人
police warrant 搜查令, suspect 嫌疑人
fire hydrant 消防栓, alarm 警报
rescue ambulance 救护车, shelter 避难所
military barracks 营房, convoy 车队
space satellite 卫星, launch 发射
astronomy telescope 望远镜, comet 彗星
geology earthquake 地震, volcano 火山
ocean buoy 浮标, tide 潮汐
physics particle 粒子, accelerator 加速器
chemistry reagent 试剂, catalyst 催化剂
biology genome 基因组, protein 蛋白质
statistics survey 问卷, histogram 直方图
robotics gripper 机械手, joint 关节
drone propeller 螺旋桨, waypoint 航点
telecom antenna 天线, tariff 资费
network router 路由器, firewall 防火墙
cluster pod 容器组, ingress 入口
storage bucket 存储桶, snapshot 快照
queue topic 主题, consumer 消费者
monitoring dashboard 仪表盘, incident 故障
security certificate 证书, vulnerability 漏洞
identity passkey 通行密钥, role 角色
backup vault 保险库, restore 恢复点
games quest 游戏任务, avatar 头像
lottery jackpot 大奖, raffle 抽奖
auction bid 出价, lot 拍品
charity donation 捐款, volunteer 志愿者
wedding guest 宾客, bouquet 花束
funeral cemetery 墓地, urn 骨灰盒
church sermon 布道, choir 合唱团
language dialect 方言, proverb 谚语
history dynasty 朝代, treaty 条约
maps contour 等高线, landmark 地标
parking garage 车库, fine 罚单
taxi ride 乘车, driver 司机
postal stamp 邮票, postbox 邮筒
hotelry suite 套房, breakfast 早餐
restaurantry menu 菜单, tip 小费
coffee espresso 浓缩咖啡, grinder 磨豆机
tea oolong 乌龙茶, teapot 茶壶
toys puzzle 拼图, doll 玩偶
`
  .trim()
  .split("\n")
  .map((line) => {
    const [name, ...rest] = line.split(" ");
    return {
      name,
      things: rest
        .join(" ")
        .split(", ")
        .map((thing) => thing.split(" ")),
    };
  });

export const serverCount = services.length;

export const toolsOfServer = 20;

/** How many servers have tools of real ones in place of their own. */
const realServers = 3;

export function nameOf(index) {
  return index < realServers ? `real${index + 1}` : services[index].name;
}

/** The tools of a server, as it lists them. */
export function toolsOf(index) {
  return index < realServers ? listReal(index) : listMadeUp(services[index], index % 2 === 1);
}

function listReal(index) {
  const file = new URL("../../test/fixtures/real-tools.jsonl", import.meta.url);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const tools = lines.map((line) => JSON.parse(line)).map(({ server: _, ...tool }) => tool);
  return tools.slice(index * toolsOfServer, (index + 1) * toolsOfServer);
}

function listMadeUp({ name: service, things }, isChinese) {
  return things.flatMap(([thing, zh]) =>
    verbs.map(([verb, third, action]) => ({
      name: `${verb}_${thing}`,
      description: isChinese
        ? `${action}${zh}。可以按编号、日期和负责人筛选，结果以 JSON 返回。`
        : `${third} ${/^[aeiou]/.test(thing) ? "an" : "a"} ${thing} of the ${service} service. Filters by number, date and owner; the result is JSON.`,
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", description: isChinese ? `${zh}的编号` : `number of the ${thing}` },
          owner: { type: "string", description: isChinese ? "负责人" : "who is responsible" },
          since: { type: "string", format: "date" },
          limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
        },
        required: verb === "list" || verb === "count" ? [] : ["id"],
      },
    })),
  );
}

/** What is asked, and the tools of which one has to be among the first five. */
export const questions = [
  ["今天杭州会下雨吗？", "maps_weather"],
  ["骑行路线", "maps_bicycling"],
  ["从天安门到故宫怎么走路过去", "maps_direction_walking"],
  ["查一下上海的公交换乘", "maps_direction_transit_integrated"],
  ["经纬度转换成地址", "maps_regeocode"],
  ["读取文件", "read_file", "read_text_file"],
  ["把文件改名", "move_file"],
  ["新建一个文件夹", "create_directory"],
  ["在知识图谱中删除关系", "delete_relations"],
  ["环境变量", "get-env"],
  ["创建一份保单", "create_policy"],
  ["搜索候选人", "search_candidate"],
  ["导出所有报价单", "export_quotation"],
  ["有多少个垃圾箱", "count_container", "list_container"],
  ["删除这条药品记录", "delete_medicine"],
  ["把行程分享给同事", "share_itinerary"],
  ["更新天线的参数", "update_antenna"],
  ["查看股息", "get_dividend"],
  ["列出所有志愿者", "list_volunteer"],
  ["归档这些搜查令", "archive_warrant"],
  ["directions by bus", "maps_direction_transit_integrated"],
  ["what is the weather in Beijing tomorrow", "maps_weather"],
  ["how far is it from A to B", "maps_distance"],
  ["where is this IP address located", "maps_ip_location"],
  ["create entities in the knowledge graph", "create_entities"],
  ["rename a folder", "move_file"],
  ["add two numbers", "get-sum"],
  ["list a directory with the sizes of its files", "list_directory_with_sizes"],
  ["compress a file", "gzip-file-as-resource"],
  ["edit a text file", "edit_file"],
  ["list the patients", "list_patient"],
  ["create a contract for a new client", "create_contract"],
  ["how many parcels are there", "count_parcel", "list_parcel"],
  ["find an apartment", "search_apartment"],
  ["export my workouts", "export_workout"],
  ["share the recipe", "share_recipe"],
  ["update a certificate", "update_certificate"],
  ["delete the poster", "delete_poster"],
  ["which satellites do we have", "list_satellite", "get_satellite", "search_satellite"],
  ["archive an incident", "archive_incident"],
];
