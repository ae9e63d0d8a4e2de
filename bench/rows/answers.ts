import type { HttpRequest } from '../measure/slots.ts'
import type { RequestLists } from './http.ts'

export interface ExpectedTenant {
  slug: string
}

const blockSize = 16

type Addresses = Record<'peer' | 'product' | 'nodeHttp' | 'honoFixed', string>

/**
 * Sends every request of every list once and compares the responses, so that nothing is timed that
 * does not do its work: the product's tenant has the same fields as the peer's, the caller is its
 * owner, a call without a token or for a foreign tenant is rejected.
 */
export async function checkAnswers(at: Addresses, lists: RequestLists): Promise<void> {
  await inBlocks(lists.expected, async ({ slug }, i) => {
    const bare = await read(at.peer, lists.peer[i])
    const rest = await read(at.product, lists.rest[i])
    const trpc = await read(at.product, lists.trpc[i])
    expect(
      bare.slug === slug && rest.slug === slug && rest.role === 'owner',
      `GET /tenants/${slug}`,
    )
    const row = await read(at.peer, lists.row[i])
    for (const field of ['id', 'name', 'plan', 'status', 'seats', 'createdAt']) {
      expect(bare[field] === rest[field] && row[field] === rest[field], `${field} of ${slug}`)
    }
    // A count is a text to pg.
    expect(
      Number(bare.memberCount) === rest.memberCount && !('memberCount' in row),
      `the members of ${slug}`,
    )
    const { result } = trpc as { result?: { data?: { json?: unknown } } }
    const told = result?.data?.json as Record<string, unknown> | undefined
    // The hourly run of the health scores may come between the two reads.
    expect(
      JSON.stringify({ ...told, health: null }) === JSON.stringify({ ...rest, health: null }),
      `tenants.get of ${slug}`,
    )
  })
  await inBlocks(lists.expectedBatch, async (slugs, i) => {
    const responses = (await read(at.product, lists.batch[i])) as unknown as {
      result?: { data: { json: { slug: string } } }
    }[]
    expect(
      responses.length === 10 &&
        slugs.every((slug, k) => responses[k]?.result?.data.json.slug === slug),
      `a batch of ${slugs.join(', ')}`,
    )
  })
  for (const tenants of ['few', 'many'] as const) {
    await inBlocks(lists.peerList[tenants], async (request, i) => {
      const slugsAt = async (address: string, one: HttpRequest | undefined) =>
        ((await read(address, one)).items as { slug: string }[]).map(({ slug }) => slug)
      const own = await slugsAt(at.product, lists.list[tenants][i])
      const bare = await slugsAt(at.peer, request)
      expect(own.length > 0 && own.join() === bare.join(), `the tenants at ${request.path}`)
    })
  }
  for (const address of [at.product, at.nodeHttp, at.honoFixed]) {
    const { service, status } = await read(address, lists.health[0])
    expect(service === 'atrium-platform-api' && status === 'ok', `health at ${address}`)
  }
  const own = lists.rest[0]
  const foreign = lists.rest[1]
  const anonymous = await fetch(`${at.product}${own?.path}`)
  const outsider = await fetch(`${at.product}${foreign?.path}`, { headers: own?.headers ?? {} })
  expect(anonymous.status === 401 && outsider.status === 404, 'refusals')
}

async function inBlocks<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += blockSize) {
    await Promise.all(
      items.slice(start, start + blockSize).map((item, i) => check(item, start + i)),
    )
  }
}

async function read(
  address: string,
  request: HttpRequest | undefined,
): Promise<Record<string, unknown>> {
  if (!request) throw new Error('there is a request fewer than answers are expected')
  const response = await fetch(`${address}${request.path}`, { headers: request.headers ?? {} })
  const body = (await response.json()) as Record<string, unknown>
  if (response.status !== 200)
    throw new Error(
      `${request.path.slice(0, 80)} answered ${response.status}: ${JSON.stringify(body).slice(0, 300)}`,
    )
  return body
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`an answer is not what it has to be: ${what}`)
}
