import {
  CreateSchedule,
  ListSchedules,
  ReplacedSchedule,
  ReplaceSchedule,
  ScheduleInTenant,
  SchedulePage,
  ScheduleView,
} from '@atrium/core/scheduling/schedules'
import { z } from 'zod'
import { memberOrOperator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import {
  createSchedule,
  getSchedule,
  listSchedules,
  removeSchedule,
  replaceSchedule,
} from './schedules.ts'

const tags = ['scheduling']
const path = '/api/v1/tenants/{slug}/schedules' as const
const one = `${path}/{scheduleId}` as const

export const schedulesRouter = router({
  list: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: { method: 'GET', path, tags, summary: 'List the schedules of hosts' },
      errors: ['not_admin'],
    })
    .input(ListSchedules)
    .output(SchedulePage)
    .query(({ ctx, input }) => listSchedules(ctx, ctx.access, input)),
  get: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: { method: 'GET', path: one, tags, summary: 'Read a schedule' },
      errors: ['not_admin'],
    })
    .input(ScheduleInTenant)
    .output(ScheduleView)
    .query(({ ctx, input }) => getSchedule(ctx, ctx.access, input.scheduleId)),
  create: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'POST', path, tags, summary: 'Create a schedule' },
      audit: 'schedule.created',
      creates: true,
      errors: [
        'limit_reached',
        'not_admin',
        'tenant_suspended',
        'tenant_deleted',
        'scheduling_not_configured',
        'host_not_connected',
        'calendar_unavailable',
      ],
    })
    .input(CreateSchedule)
    .output(ScheduleView)
    .mutation(({ ctx, input }) => createSchedule(ctx, ctx.access, input)),
  replace: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'PUT', path: one, tags, summary: 'Replace what a schedule holds' },
      audit: 'schedule.updated',
      errors: [
        'version_conflict',
        'schedule_in_use',
        'not_admin',
        'scheduling_not_configured',
        'host_not_connected',
        'tenant_suspended',
        'tenant_deleted',
        'calendar_unavailable',
      ],
    })
    .input(ReplaceSchedule)
    .output(ReplacedSchedule)
    .mutation(({ ctx, input }) => replaceSchedule(ctx, ctx.access, input)),
  remove: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: { method: 'DELETE', path: one, tags, summary: 'Delete a schedule' },
      audit: 'schedule.removed',
      errors: ['schedule_in_use', 'not_admin', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(ScheduleInTenant)
    .output(z.void())
    .mutation(({ ctx, input }) => removeSchedule(ctx, ctx.access, input.scheduleId)),
})
