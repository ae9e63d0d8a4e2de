import {
  CreateEventType,
  EventTypeInTenant,
  EventTypePage,
  EventTypePreview,
  EventTypeView,
  ListEventTypes,
  PreviewEventType,
  RemoveEventType,
  UpdateEventType,
} from '@atrium/core/scheduling/event-types'
import { z } from 'zod'
import { memberOrOperator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { changeEventType, createEventType, removeEventType } from './change.ts'
import { getEventType, listEventTypes } from './event-types.ts'
import { previewEventType } from './preview.ts'

const tags = ['scheduling']
const path = '/api/v1/tenants/{slug}/event-types' as const
const one = `${path}/{eventTypeId}` as const

export const eventTypesRouter = router({
  list: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: { method: 'GET', path, tags, summary: 'List event types' },
      errors: ['not_admin'],
    })
    .input(ListEventTypes)
    .output(EventTypePage)
    .query(({ ctx, input }) => listEventTypes(ctx, ctx.access, input)),
  get: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: { method: 'GET', path: one, tags, summary: 'Read an event type' },
      errors: ['not_admin'],
    })
    .input(EventTypeInTenant)
    .output(EventTypeView)
    .query(({ ctx, input }) => getEventType(ctx, ctx.access, input.eventTypeId)),
  create: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'POST', path, tags, summary: 'Create an event type' },
      audit: 'event_type.created',
      creates: true,
      errors: [
        'limit_reached',
        'not_admin',
        'tenant_suspended',
        'tenant_deleted',
        'already_exists',
      ],
    })
    .input(CreateEventType)
    .output(EventTypeView)
    .mutation(({ ctx, input }) => createEventType(ctx, ctx.access, input)),
  update: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'PATCH', path: one, tags, summary: 'Change an event type' },
      audit: 'event_type.updated',
      errors: [
        'version_conflict',
        'not_admin',
        'already_exists',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(UpdateEventType)
    .output(EventTypeView)
    .mutation(({ ctx, input }) => changeEventType(ctx, ctx.access, input)),
  remove: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'DELETE', path: one, tags, summary: 'Remove an event type' },
      audit: 'event_type.removed',
      errors: ['event_type_in_use', 'not_admin', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(RemoveEventType)
    .output(z.void())
    .mutation(({ ctx, input }) => removeEventType(ctx, ctx.access, input)),
  // A mutation by its method alone: a draft is too long for an address. It changes nothing.
  preview: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: {
        method: 'POST',
        path: `${path}/preview`,
        tags,
        summary: 'See what unsaved settings would offer',
      },
      errors: ['not_admin', 'range_too_long', 'calendar_unavailable'],
    })
    .input(PreviewEventType)
    .output(EventTypePreview)
    .mutation(({ ctx, input }) => previewEventType(ctx, ctx.access, input)),
})
