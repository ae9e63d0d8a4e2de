import type { EventTypeView } from '@atrium/core/scheduling/event-types'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { done, failed } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCopyPlus, IconDots, IconExternalLink, IconTrash } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { useCreateEventType, useRemoveEventType } from './offer-mutations.ts'

const t = translations('portal.scheduling-event-types')

/** What can be done with an event type as a whole. */
export function EventTypeActions({ eventType }: { eventType: EventTypeView }) {
  const { slug } = useTenant()
  const router = useRouter()
  const create = useCreateEventType()
  const [asking, { open, close }] = useDisclosure(false)

  function duplicate() {
    const {
      id: _,
      slug: __,
      publicUrl: ___,
      version: ____,
      createdAt: _____,
      updatedAt: ______,
      title,
      ...settings
    } = eventType
    create.mutate(
      // Disabled, so that no one books the copy before it is ready.
      {
        ...settings,
        slug,
        title: t('actions.copyTitle', { title: title.slice(0, 92) }),
        active: false,
      },
      {
        onSuccess: (copy) => {
          done(t('actions.copied', { title: copy.title }))
          void router.navigate(links.eventType(slug, copy.id))
        },
        onError: (error) =>
          failed(t('actions.notCopied', { title }), explain(error) ?? problemOf(error).message),
      },
    )
  }

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t('actions.more', { title: eventType.title })}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {eventType.publicUrl !== null && (
            <Menu.Item
              component="a"
              href={eventType.publicUrl}
              target="_blank"
              rel="noopener"
              leftSection={<IconExternalLink size={16} aria-hidden />}
            >
              {t('actions.open')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCopyPlus size={16} aria-hidden />} onClick={duplicate}>
            {t('actions.duplicate')}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={open}>
            {t('actions.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RemoveDialog eventType={eventType} opened={asking} onClose={close} />
    </>
  )
}

/** Asks once; when bookings are to come, once more with their number. */
function RemoveDialog({
  eventType,
  opened,
  onClose,
}: {
  eventType: EventTypeView
  opened: boolean
  onClose: () => void
}) {
  const { slug } = useTenant()
  const remove = useRemoveEventType()
  const [coming, setComing] = useState<string>()
  const { id, title } = eventType
  function end() {
    setComing(undefined)
    onClose()
  }
  return (
    <ConfirmDialog
      opened={opened}
      onClose={end}
      title={t('remove.title', { title })}
      confirmLabel={t(coming === undefined ? 'remove.button' : 'remove.buttonKeeping')}
      explain={(error) => {
        const problem = problemOf(error)
        if (problem.code === 'event_type_in_use') {
          setComing(problem.message)
          return t('remove.inUse')
        }
        return explain(error)
      }}
      onConfirm={async () => {
        await remove.mutateAsync({
          slug,
          eventTypeId: id,
          ...(coming === undefined ? {} : { keepBookings: true }),
        })
        setComing(undefined)
        done(t('remove.done', { title }))
      }}
    >
      {coming ?? t('remove.effect')} {t('remove.bookingsStay')}
    </ConfirmDialog>
  )
}
