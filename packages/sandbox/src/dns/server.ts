import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import dnsPacket, { type Packet, type Question } from 'dns-packet'
import type { Fault } from '../faults.ts'
import type { SystemContext } from '../system.ts'
import { toWire } from './packets.ts'
import type { Zones } from './zones.ts'

const rcodes = { ok: 0, formatError: 1, serverFailure: 2, noSuchName: 3, refused: 5 } as const
/** What a client takes over UDP that does not say otherwise (RFC 1035 section 4.2.1). */
const plainUdpSize = 512
const mostAliases = 16

export interface DnsServer {
  /** UDP and TCP on the same port. Resolves to it. */
  listen(port: number, host: string): Promise<number>
  close(): Promise<void>
}

type Transport = 'UDP' | 'TCP'

/** What goes back to the client: bytes, nothing, or the end of the connection. */
type Reply = Buffer | 'nothing' | 'reset'

/**
 * Serves the zones over UDP and TCP, like a recursive resolver. A fault matches `TXT
 * _dmarc.acme.example`.
 */
export function createDnsServer(context: SystemContext, zones: Zones): DnsServer {
  const udp: UdpSocket[] = []
  let tcp: Server | undefined
  const connections = new Set<Socket>()

  async function reply(query: Buffer, transport: Transport): Promise<Reply> {
    const started = performance.now()
    const packet = decoded(query)
    const question = packet?.questions?.[0]
    if (!packet || !question) return 'nothing'
    const subject = `${question.type} ${question.name.toLowerCase()}`
    const fault = context.faults.take('dns', [subject])
    const response = responseTo(zones, packet, question)
    if (fault)
      await pause(fault.delayMs ?? (fault.mode === 'latency' ? 1_000 : 0), undefined, {
        ref: false,
      })
    const sent = fault
      ? spoiled(fault, packet, response, transport)
      : fitting(packet, response, transport)
    context.calls.add({
      at: new Date(context.now()).toISOString(),
      method: transport,
      path: subject,
      // 200 and 404 are what people know; the control page shows them beside the HTTP systems.
      status: sent === 'nothing' || sent === 'reset' ? 0 : statusOf(sent),
      ms: Math.round(performance.now() - started),
      ...(fault && { fault: { id: fault.id, mode: fault.mode } }),
    })
    return sent
  }

  function serveUdp(socket: UdpSocket): void {
    socket.on('message', (query, from) => {
      reply(query, 'UDP').then(
        (sent) => {
          // The socket may be closed by the time a slow response is ready.
          if (Buffer.isBuffer(sent)) socket.send(sent, from.port, from.address, () => {})
        },
        (error: unknown) => console.error(error),
      )
    })
    // A client that goes away in the middle is no fault of the sandbox.
    socket.on('error', () => {})
  }

  function serveTcp(socket: Socket): void {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    socket.on('error', () => {})
    let held = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      held = Buffer.concat([held, chunk])
      while (held.length >= 2 && held.length >= held.readUInt16BE(0) + 2) {
        const size = held.readUInt16BE(0)
        const query = held.subarray(2, size + 2)
        held = held.subarray(size + 2)
        reply(query, 'TCP').then(
          (sent) => {
            if (sent === 'reset') socket.resetAndDestroy()
            else if (Buffer.isBuffer(sent)) socket.write(Buffer.concat([lengthOf(sent), sent]))
          },
          (error: unknown) => console.error(error),
        )
      }
    })
  }

  return {
    async listen(port, host) {
      for (let attempt = 1; ; attempt++) {
        const server = createServer(serveTcp)
        await new Promise<void>((resolve, reject) =>
          server.once('error', reject).listen(port, host, resolve),
        )
        const taken = (server.address() as AddressInfo).port
        const socket = createSocket('udp4')
        const bound = await new Promise<Error | undefined>((resolve) => {
          socket.once('error', resolve)
          socket.bind(taken, host, () => resolve(undefined))
        })
        if (!bound) {
          tcp = server
          udp.push(socket)
          serveUdp(socket)
          return taken
        }
        // A port that is free for TCP may be taken for UDP.
        await new Promise<void>((done) => server.close(() => done()))
        if (port !== 0 || attempt === 10) throw bound
      }
    },
    async close() {
      for (const connection of connections) connection.destroy()
      for (const socket of udp.splice(0))
        await new Promise<void>((done) => socket.close(() => done()))
      const server = tcp
      tcp = undefined
      if (server) await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

function decoded(query: Buffer): Packet | undefined {
  try {
    const packet = dnsPacket.decode(query)
    return packet.type === 'query' ? packet : undefined
  } catch {
    return undefined
  }
}

function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return length
}

function statusOf(message: Buffer): number {
  const rcode = (message[3] ?? 0) & 0xf
  return rcode === rcodes.ok ? 200 : rcode === rcodes.noSuchName ? 404 : 500
}

const flags = (rcode: number) => dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | rcode

/** The records of the name, following its aliases, which precede their targets in the response. */
function responseTo(zones: Zones, query: Packet, question: Question): Packet {
  const answers: Packet['answers'] = []
  let name = question.name.toLowerCase()
  let exists = false
  for (let hops = 0; hops < mostAliases; hops++) {
    const found = zones.find(name)
    exists = found.exists
    const alias =
      question.type === 'CNAME' ? undefined : found.records.find(({ type }) => type === 'CNAME')
    if (!alias) {
      answers.push(...found.records.filter(({ type }) => type === question.type).map(toWire))
      break
    }
    answers.push(toWire(alias))
    name = alias.value
  }
  const rcode = exists ? rcodes.ok : rcodes.noSuchName
  return {
    type: 'response',
    id: query.id ?? 0,
    flags: flags(rcode),
    questions: [question],
    answers,
  }
}

function failure(query: Packet, rcode: number): Buffer {
  return dnsPacket.encode({
    type: 'response',
    id: query.id ?? 0,
    flags: flags(rcode),
    questions: query.questions ?? [],
  })
}

/**
 * A response that is too large for UDP is sent without records and with the flag that makes the
 * client retry over TCP.
 */
function fitting(query: Packet, response: Packet, transport: Transport): Buffer {
  const encoded = dnsPacket.encode(response)
  return transport === 'TCP' || encoded.length <= udpSize(query) ? encoded : truncated(response)
}

function truncated(response: Packet): Buffer {
  return dnsPacket.encode({
    ...response,
    answers: [],
    flags: (response.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE,
  })
}

function udpSize(query: Packet): number {
  const options = query.additionals?.find((one) => one.type === 'OPT')
  return Math.max(plainUdpSize, options?.type === 'OPT' ? options.udpPayloadSize : 0)
}

function spoiled(fault: Fault, query: Packet, response: Packet, transport: Transport): Reply {
  switch (fault.mode) {
    case 'latency':
      return fitting(query, response, transport)
    case 'timeout':
      return 'nothing'
    case 'reset':
      return transport === 'TCP' ? 'reset' : 'nothing'
    case 'truncated':
      return transport === 'TCP' ? fitting(query, response, transport) : truncated(response)
    case 'garbage':
      return Buffer.concat([
        dnsPacket.encode(response).subarray(0, 12),
        Buffer.from([0xff, 0xfe, 0x3c, 0x68, 0x74, 0x6d, 0x6c]),
      ])
    case 'shape':
      return dnsPacket.encode({
        ...response,
        answers: [{ name: 'unexpected.example', type: 'A', ttl: 1, data: '192.0.2.1' }],
      })
    case 'error':
      return failure(query, rcodes.refused)
    default:
      return failure(query, rcodes.serverFailure)
  }
}
