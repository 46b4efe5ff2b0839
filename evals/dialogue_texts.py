"""What generated dialogues are made of: templates and clauses in Chinese and English, with slots for values."""

ASKS = {
    "zh": (
        "{code}这张发票的抬头能改吗?上次说{day}前处理,金额{amount}。",
        "{product}导入流水时报错,账套{code},麻烦看一下是哪一步出的问题,要得比较急。",
        "我们{product}的续费单{code}到底扣了多少?账上看到{amount},和合同对不上。",
        "{code}的对账结果什么时候出来?财务{day}要交报表,拜托帮忙盯一下进度。",
    ),
    "en": (
        "Can you change the title of invoice {code}? You said it would be done by {day}, for {amount}.",
        "Importing the statement fails in {product}, ledger {code}. Which step went wrong?",
        "What was actually charged for renewal {code}? I see {amount} and the contract says otherwise.",
        "When will reconciliation {code} finish? Finance needs it by {day}.",
    ),
}
ANSWERS = {
    "zh": "查过了:{code}对应{product},核定金额{amount},已登记受理单{ticket},预计{day}前给您结果。如需加急,请回复确认,我会转给值班同事跟进。",
    "en": "I checked: {code} belongs to {product}, the settled amount is {amount}, ticket {ticket} is open and you will hear by {day}. Reply to confirm if it is urgent and I will pass it on.",
}
PRODUCTS = {
    "zh": ("银企直连", "费用报销", "多账套", "税务助手"),
    "en": ("bank feeds", "expenses", "multi-ledger", "tax helper"),
}
CLAUSES = {
    "zh": (
        "对账任务按提交顺序排队,银行返回明细后自动匹配,未匹配的条目进入人工复核列表",
        "发票抬头在开具当月可以修改,跨月需先作废再重开,原发票须收回或做红字冲销",
        "续费按合同约定的周期扣款,扣款失败会重试并通知管理员,重试期间功能不受影响",
        "导入模板的列名必须与系统一致,日期列只接受一种写法,空行会被跳过并写入日志",
        "成员离职后由管理员收回权限,名下的草稿转给接手的同事,历史单据仍可查看",
        "审批人休假时可以设置代理,代理期间的意见会注明由谁代签,到期自动恢复",
        "月结之后的凭证不能直接改动,需要反结账并填写理由,操作会留在审计记录里",
        "附件支持常见的图片和文档格式,过大的文件请先压缩,上传中断可以接着传",
        "汇率每天早上更新一次,手工录入的汇率优先,跨币种的差额计入汇兑损益",
        "导出的报表按当前筛选条件生成,数据较多时改为后台处理,完成后站内提醒",
        "登录时连续输错会暂时锁定,可以用绑定的邮箱找回,也可以请管理员重置",
        "合同到期前会提前提醒,升级立即生效并按剩余时间补差,降级从下个周期开始",
    ),
    "en": (
        "reconciliation jobs queue in the order of submission and match once the bank returns the details",
        "an invoice title can be changed within the month of issue, later it is voided and issued again",
        "renewals are charged at the agreed interval, failures are retried and the administrator is told",
        "the column names of an import must match the template and empty rows are skipped and logged",
        "when a member leaves, the administrator withdraws access and hands drafts to a colleague",
        "an approver on holiday can name a deputy, and every decision says on whose behalf it was made",
        "vouchers of a closed month stay as they are unless the month is reopened with a reason",
        "attachments may be pictures or documents, large files should be compressed before the upload",
        "exchange rates are refreshed every morning, and rates entered by hand take precedence",
        "a report follows the current filters, and a long one is prepared in the background",
        "several wrong passwords lock the account for a while, the mailbox on file can unlock it",
        "an upgrade takes effect at once and is charged for the rest of the term, a downgrade waits",
    ),
}
TOOLS = ("query_ledger", "query_invoice", "query_job", "search_help")
CODES = ("FP-{:08}", "ZT{:09}", "XF{:07}", "INV-2026-{:05}", "LG{:010}")
