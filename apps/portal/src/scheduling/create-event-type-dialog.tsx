import { CreateEventType, type EventTypeView } from '@atrium/core/scheduling/event-types'
import type { HostView } from '@atrium/core/scheduling/hosts'
import { ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { zodForm } from '@atrium/ui/zod-form'
import {
  Button,
  Checkbox,
  Group,
  Modal,
  Radio,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { maySeeSettings } from '../tenants/roles.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import classes from './create-event-type.module.css'
import { LocationFields } from './location-fields.tsx'
import { useCreateEventType } from './offer-mutations.ts'
import { type EventTypeTemplate, needsTeam, templates } from './templates.ts'

const t = translations('portal.scheduling-event-types')
const frame = translations('ui.frame')

interface Props {
  host: HostView
  opened: boolean
  onClose: () => void
  onCreated: (eventType: EventTypeView) => void
}

/** Begins an event type from a template; everything else is set on its page. */
export function CreateEventTypeDialog({ opened, onClose, ...props }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={t('create.title')} size="lg">
      {opened && <CreateForm {...props} onClose={onClose} />}
    </Modal>
  )
}

interface Values {
  template: string
  title: string
  locationKind: CreateEventType['locationKind']
  location: string
  hostIds: string[]
}

const [first] = templates as [EventTypeTemplate, ...EventTypeTemplate[]]
const templateOf = (key: string) => templates.find((template) => template.key === key) ?? first
const titleOf = ({ key }: EventTypeTemplate) => t(`templates.${key}.title`)

function CreateForm({ host, onClose, onCreated }: Omit<Props, 'opened'>) {
  const { slug, role } = useTenant()
  const create = useCreateEventType()
  const hosts = useQuery(useTRPC().scheduling.hosts.list.queryOptions({ slug }))
  const others = (hosts.data?.items ?? []).filter(({ id, active }) => active && id !== host.id)
  const offered = templates.filter(
    (template) => !needsTeam(template) || (maySeeSettings(role) && others.length > 0),
  )
  const [rejected, setRejected] = useState<unknown>()
  const check = zodForm(CreateEventType)
  const toInput = ({ template, title, locationKind, location, hostIds }: Values) => {
    const chosen = templateOf(template)
    return {
      ...chosen.settings,
      slug,
      hostId: host.id,
      title,
      locationKind,
      location: location.trim() === '' || locationKind === 'visitor_phone' ? null : location.trim(),
      ...(needsTeam(chosen) ? { hostIds: [host.id, ...hostIds] } : {}),
      fields:
        chosen.key === 'phone' || locationKind === 'visitor_phone'
          ? [
              {
                key: 'phone',
                label: t('questions.phoneNumber'),
                kind: 'phone' as const,
                required: true,
              },
            ]
          : [],
    }
  }
  const form = useForm<Values>({
    initialValues: {
      template: first.key,
      title: titleOf(first),
      locationKind: first.settings.locationKind,
      location: '',
      hostIds: [],
    },
    validate: (values) => check(toInput(values)),
  })
  const { values, errors } = form
  const template = templateOf(values.template)

  function choose(key: string) {
    const next = templateOf(key)
    form.clearErrors()
    form.setValues({
      template: key,
      locationKind: next.settings.locationKind,
      // A typed title stays.
      ...(templates.some((one) => titleOf(one) === values.title) || values.title.trim() === ''
        ? { title: titleOf(next) }
        : {}),
    })
  }

  function submit(requested: Values) {
    setRejected(undefined)
    create.mutate(toInput(requested), {
      onSuccess: onCreated,
      onError: (error) => {
        if (!showRejection(form, error)) setRejected(error)
      },
    })
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <Radio.Group label={t('create.template')} value={values.template} onChange={choose}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
            {offered.map(({ key, icon: Icon }) => (
              <Radio.Card
                key={key}
                value={key}
                p="sm"
                className={classes.template}
                aria-label={t('create.templateLabel', {
                  title: t(`templates.${key}.title`),
                  description: t(`templates.${key}.description`),
                })}
              >
                <Group wrap="nowrap" align="flex-start" gap="sm">
                  <Icon size={22} stroke={1.6} aria-hidden className={classes.icon} />
                  <div>
                    <Text size="sm" fw={600}>
                      {t(`templates.${key}.title`)}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {t(`templates.${key}.description`)}
                    </Text>
                  </div>
                </Group>
              </Radio.Card>
            ))}
          </SimpleGrid>
        </Radio.Group>
        <TextInput
          label={t('create.name')}
          required
          maxLength={100}
          {...form.getInputProps('title')}
        />
        <LocationFields
          kind={values.locationKind}
          location={values.location}
          errors={errors}
          onKind={(kind) => form.setFieldValue('locationKind', kind)}
          onLocation={(location) => form.setFieldValue('location', location)}
        />
        {needsTeam(template) && (
          <Checkbox.Group
            label={t('create.hosts', { host: host.name })}
            required
            value={values.hostIds}
            error={errors.hostIds}
            onChange={(ids) => form.setFieldValue('hostIds', ids)}
          >
            <Stack gap="xs" mt={6} data-path="hostIds" tabIndex={-1}>
              {others.map(({ id, name }) => (
                <Checkbox key={id} value={id} label={name} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        {rejected !== undefined && (
          <ProblemAlert title={t('create.failed')} error={rejected} message={explain(rejected)} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={create.isPending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('create.button')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
