import { EventPage, ListEvents, StreamEvents } from '@atrium/core/events/events'
import { eventsReader } from '../rpc/guards.ts'
import { router } from '../rpc/trpc.ts'
import { listEvents } from './list.ts'
import { streamEvents } from './stream.ts'

const tags = ['events']

export const eventsRouter = router({
  list: eventsReader
    .meta({
      scope: 'events:read',
      errors: ['cursor_expired'],
      openapi: {
        method: 'GET',
        path: '/events',
        tags,
        summary: 'List events behind a cursor',
        description:
          "Those of the service token's tenant or partner, in the order of their commits; operators and tokens of the platform read all.",
      },
    })
    .input(ListEvents)
    .output(EventPage)
    .query(({ ctx, input }) => listEvents(ctx.services, ctx, input)),
  stream: eventsReader
    .meta({
      scope: 'events:read',
      errors: ['cursor_expired'],
      openapi: {
        method: 'GET',
        path: '/events/stream',
        tags,
        summary: 'Stream events as NDJSON',
        description: 'One event per line. With `follow` the stream stays open.',
      },
      export: { fileName: 'events', formats: ['ndjson'], lasts: 'follow' },
    })
    .input(StreamEvents)
    .query(({ ctx, input }) => streamEvents(ctx, input)),
})
