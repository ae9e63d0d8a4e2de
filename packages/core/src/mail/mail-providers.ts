// Domains of the large providers in the autoconfiguration database of Thunderbird, commit c6ad796
// of https://github.com/thunderbird/autoconfig (ispdb/), without those of companies and
// universities that are customers of a provider.
const inThunderbird =
  '163.com 2die4.com accountant.com activist.com adexec.com adres.pl africamail.com aim.com ' +
  'aircraftmail.com alabama.usa.com alaska.usa.com alice.it allergist.com alumni.com ' +
  'alumnidirector.com americamail.com ameritech.net amorki.pl amorous.com angelic.com aol.co.nz ' +
  'aol.co.uk aol.com aol.com.ar aol.com.au aol.com.br aol.com.mx aol.de aol.es aol.fr aol.it aol.se ' +
  'archaeologist.com arizona.usa.com artlover.com asia-mail.com atheist.com att.net ' +
  'australiamail.com autograf.pl bartender.net bellsouth.net berlin.com bigger.com bikerider.com ' +
  'birdlover.com bk.ru blader.com blu.it bluemail.ch bluewin.ch boardermail.com brazilmail.com ' +
  'brew-master.com btinternet.com btopenworld.com buziaczek.pl california.usa.com ' +
  'californiamail.com caress.com catlover.com cheerful.com chef.net chemist.com chinamail.com ' +
  'clerk.com cliffhanger.com club-internet.fr collector.org columnist.com comcast.net comic.com ' +
  'compuserve.com computer4u.com consultant.com contractor.net coolsite.net counsellor.com ' +
  'count.com couple.com cox.net cs.com currently.com cutey.com cyber-wizard.com cyberdude.com ' +
  'cybergal.com cyberia.pl dallasmail.com daum.net dbzmail.com deliveryman.com diplomats.com ' +
  'disciples.com doctor.com doglover.com doramail.com dr.com dublin.com earthling.net elvisfan.com ' +
  'email.com email.cz engineer.com englandmail.com europe.com europemail.com execs.com fan.com ' +
  'feelings.com financier.com fireman.net flash.net florida.usa.com footballer.com free.fr ' +
  'gardener.com geologist.com germanymail.com giallo.it gmail.com gmx.at gmx.biz gmx.ca gmx.ch ' +
  'gmx.cn gmx.co.in gmx.co.uk gmx.com gmx.com.br gmx.com.my gmx.com.tr gmx.de gmx.es gmx.eu gmx.fr ' +
  'gmx.hk gmx.ie gmx.info gmx.it gmx.li gmx.net gmx.org gmx.ph gmx.pt gmx.ru gmx.se gmx.sg gmx.tm ' +
  'gmx.tw gmx.us go2.pl googlemail.com graduate.org graphic-designer.com hackermail.com ' +
  'hairdresser.net hilarious.com hockeymail.com homemail.com hot-shot.com hotmail.be hotmail.ca ' +
  'hotmail.cl hotmail.co.id hotmail.co.il hotmail.co.in hotmail.co.jp hotmail.co.kr hotmail.co.th ' +
  'hotmail.co.uk hotmail.co.za hotmail.com hotmail.com.ar hotmail.com.au hotmail.com.br ' +
  'hotmail.com.hk hotmail.com.tr hotmail.com.tw hotmail.com.vn hotmail.cz hotmail.de hotmail.dk ' +
  'hotmail.es hotmail.fi hotmail.fr hotmail.gr hotmail.hu hotmail.it hotmail.lt hotmail.lv ' +
  'hotmail.my hotmail.nl hotmail.no hotmail.ph hotmail.rs hotmail.se hotmail.sg hotmail.sk hour.com ' +
  'humanoid.net illinois.usa.com iname.com inbox.eu inbox.la inbox.lt inbox.lv inbox.ru ' +
  'innocent.com inorbit.com instruction.com instructor.net insurer.com inwind.it iol.it ' +
  'irelandmail.com italymail.com japan.com journalist.com keromail.com kittymail.com koreamail.com ' +
  'laposte.net lawyer.com legislator.com libero.it linuxmail.org list.ru live.at live.be live.ca ' +
  'live.cl live.cn live.co.jp live.co.kr live.co.uk live.co.za live.com live.com.ar live.com.au ' +
  'live.com.mx live.com.my live.com.ph live.com.pt live.com.sg live.de live.dk live.fi live.fr ' +
  'live.hk live.ie live.in live.it live.jp live.nl live.no live.ru live.se livemail.tw london.com ' +
  'loveable.com lovecat.com mad.scientist.com madonnafan.com madrid.com magenta.de mail.com ' +
  'mail.org mail.ru marchmail.com mexicomail.com mindless.com minister.com mobsters.com ' +
  'monarchy.com moscowmail.com msn.com munich.com musician.org muslim.com myself.com myyahoo.com ' +
  'narod.ru naver.com netscape.com netscape.net neuf.fr newyork.usa.com null.net nvbell.net ' +
  'nycmail.com o2.pl oath.com olc.protection.outlook.com onet.com.pl onet.eu onet.pl op.pl ' +
  'opoczta.pl optician.com orange.fr outlook.at outlook.be outlook.cl outlook.co.id outlook.co.il ' +
  'outlook.co.th outlook.com outlook.com.ar outlook.com.au outlook.com.br outlook.com.gr ' +
  'outlook.com.tr outlook.com.vn outlook.cz outlook.de outlook.dk outlook.es outlook.fr outlook.hu ' +
  'outlook.ie outlook.in outlook.it outlook.jp outlook.kr outlook.lv outlook.my outlook.ph ' +
  'outlook.pt outlook.sa outlook.sg outlook.sk pacbell.net pacificwest.com petlover.com ' +
  'photographer.net playful.com poczta.onet.eu poczta.onet.pl poetic.com politician.com popstar.com ' +
  'post.com post.cz posteo.at posteo.be posteo.ca posteo.ch posteo.cl posteo.co posteo.co.uk ' +
  'posteo.com posteo.com.br posteo.cr posteo.cz posteo.de posteo.dk posteo.ee posteo.es posteo.eu ' +
  'posteo.fi posteo.gl posteo.gr posteo.hn posteo.hr posteo.hu posteo.ie posteo.in posteo.is ' +
  'posteo.it posteo.jp posteo.la posteo.li posteo.lt posteo.lu posteo.me posteo.mx posteo.my ' +
  'posteo.net posteo.nl posteo.no posteo.nz posteo.org posteo.pe posteo.pl posteo.pm posteo.pt ' +
  'posteo.ro posteo.se posteo.sg posteo.si posteo.tn posteo.uk posteo.us presidency.com priest.com ' +
  'prodigy.net programmer.net prokonto.pl pseudonim.pl publicist.com qq.com rambler.ru ' +
  'realtyagent.com reborn.com reggaefan.com religious.com repairman.com representative.com ' +
  'republika.pl rescueteam.com revenue.com rocketmail.com rocketship.com rockfan.com rome.com ' +
  'royal.net saintly.com salesperson.net sanfranmail.com sbcglobal.net scientist.com ' +
  'scotlandmail.com secretary.net seductive.com seznam.cz sfr.fr singapore.com snakebite.com ' +
  'snet.net songwriter.net soon.com spainmail.com spoko.pl spoluzaci.cz swbell.net t-online.de ' +
  'talk21.com teachers.org techie.com technologist.com texas.usa.com thegame.com therapist.net ' +
  'tiscali.it tlen.pl toke.com tokyo.com toothfairy.com tvstar.com umpire.com usa.com uymail.com ' +
  'verizon.net vip.onet.pl virgilio.it vp.pl wallet.com wanadoo.fr wans.net web.de webname.com ' +
  'weirdness.com who.net whoever.com windowslive.com winning.com witty.com wmconnect.com worker.com ' +
  'workmail.com wp.pl writeme.com ya.ru yahoo.ca yahoo.co.in yahoo.co.nz yahoo.co.uk yahoo.com ' +
  'yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.mx yahoo.de yahoo.es yahoo.fr yahoo.it yahoo.se ' +
  'yandex.by yandex.com yandex.kz yandex.net yandex.ru yandex.ua ymail.com yours.com zoho.com ' +
  'zohomail.com'

// Providers that the database lacks, by the addresses that they offer themselves: Apple, Proton,
// Tuta, Fastmail, HEY, mailbox.org, freenet, Hushmail, NetEase and Sina.
const further =
  'icloud.com me.com mac.com proton.me protonmail.com protonmail.ch pm.me tuta.com tuta.io tutanota.com tutanota.de ' +
  'tutamail.com keemail.me fastmail.com fastmail.fm hey.com mailbox.org freenet.de hushmail.com 126.com yeah.net sina.com'

const providers: ReadonlySet<string> = new Set(`${inThunderbird} ${further}`.split(' '))

/**
 * True for a domain on which a public provider offers mailboxes to everyone, so that no workplace
 * owns it. Canonical form.
 */
export function isPublicMailProvider(domain: string): boolean {
  return providers.has(domain)
}
