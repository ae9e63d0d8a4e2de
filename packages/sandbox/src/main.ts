import { demoHistory } from '@atrium/core/demo/demo-history'
import { startSandbox } from './start.ts'

const base = Number(process.env.ATRIUM_PORT_BASE ?? 4_000)
// The highest of its ports stays below those that the system gives to outgoing connections.
const highestBase = 32_767 - 1_601
if (!Number.isInteger(base) || base < 1 || base > highestBase) {
  console.error(`ATRIUM_PORT_BASE must be a port number of at most ${highestBase}.`)
  process.exit(78)
}

const statePath = process.env.ATRIUM_SANDBOX_STATE
/** The day with which the demo history ends, such as `2027-01-31`. */
const historyDay = process.env.ATRIUM_DEMO_DAY
const sandbox = await startSandbox({
  portBase: base,
  payments: { webhookUrl: `http://localhost:${base}/webhooks/stripe` },
  ...(statePath && { statePath }),
  ...(historyDay && { history: demoHistory(new Date(historyDay)) }),
}).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    // A client that keeps its connection open must not block the process.
    setTimeout(() => process.exit(1), 1_500).unref()
    sandbox.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
}

const {
  controlUrl,
  identityUrl,
  mailUrl,
  filesUrl,
  paymentsUrl,
  viesUrl,
  smtpUrl,
  smtpPageUrl,
  dnsServer,
  dnsPageUrl,
} = sandbox
console.log(
  JSON.stringify({
    ready: true,
    controlUrl,
    identityUrl,
    mailUrl,
    filesUrl,
    paymentsUrl,
    viesUrl,
    smtpUrl,
    smtpPageUrl,
    dnsServer,
    dnsPageUrl,
  }),
)
