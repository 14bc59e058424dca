"""German."""

from __future__ import annotations

from typing import Final

from pactkeeper.speech.languages.table import Language

TABLE: Final = Language(
    code="de",
    stemmer="german",
    labels={
        "epic_id": "epos, übergeordnetes epic, epic",
        "title": "titel, tickettitel, überschrift, betreff",
        "problem": """problem, das problem, problemstellung, problembeschreibung, hintergrund, kontext, warum, ausgangslage,
            fehler, aktuelles verhalten, ist-zustand, was ist passiert, motivation""",
        "proposed_solution": "lösung, lösungsvorschlag, vorschlag, idee, ansatz, lösungsidee, vorgeschlagene lösung",
        "acceptance_criteria": """akzeptanzkriterien, akzeptanzkriterium, abnahmekriterien, abnahmekriterium, kriterien,
            kriterium, anforderungen, anforderung, fertig wenn, erwartetes verhalten, erwartet, soll-zustand, ak""",
        "constraints": """einschränkungen, einschränkung, rahmenbedingungen, rahmenbedingung, randbedingungen,
            randbedingung, bedingungen, bedingung, vorgaben, vorgabe, grenzen""",
        "open_questions": "offene fragen, offene frage, fragen, frage, unklar, noch offen, zu klären",
        "dependencies": """abhängigkeiten, abhängigkeit, hängt ab von, abhängig von, blockiert durch, blockiert von,
            voraussetzungen, voraussetzung""",
        "risks": "risiken, risiko, bedenken",
        "evidence_links": "belege, beleg, quellen, quelle, siehe, siehe auch, verweise",
    },
    other_labels="""beschreibung, umgebung, schritte, schritte zum nachstellen, alternativen, notizen, notiz, hinweis,
        hinweise, anmerkung, anmerkungen, aufgaben, nicht im umfang, zuständig, priorität""",
    casual="""frage, fragen, unklar, siehe, siehe auch, idee, vorschlag, ansatz, warum, kontext, hintergrund, fehler,
        betreff, überschrift, erwartet, bedenken, bedingung, grenzen, quelle, quellen, neu, neuer, neue, neues,
        geändert, aktualisiert, änderung, update""",
    corrections="korrektur, korrigiert, berichtigung, änderung, geändert, neu, neuer, neue, neues, aktualisiert, update",
    removals="streichen, entfernen, löschen, weglassen, weg, entfällt, gestrichen",
    given="angenommen, gegeben sei, gegeben seien, gegeben",
    when="wenn",
    then="dann",
    also="und, aber",
    scenarios="szenario, szenariogrundriss, funktionalität, grundlage, beispiel, beispiele",
    not_known="""weiß ich nicht, weiss ich nicht, weiß nicht, ich weiß nicht, ich weiß es nicht, wissen wir nicht,
        wissen wir noch nicht, weiß ich noch nicht, keine ahnung, unklar, noch unklar, noch offen, unbekannt,
        das weiß ich nicht, das weiß ich noch nicht, das wissen wir noch nicht""",
    nothing="keine, keiner, keins, nichts, entfällt, keine angabe, leer",
    both="beide, beides, beide gelten, beides gilt, beide behalten",
    first="a, erste, ersten, die erste, das erste, den ersten, der erste, ersteres",
    second="b, zweite, zweiten, die zweite, das zweite, den zweiten, der zweite, letzteres",
    keep="behalten, behalten wir, wir behalten, wir nehmen, nehmen wir, nimm, bitte, es gilt, es bleibt bei, wir bleiben bei",
    small_talk="""hallo moin servus guten morgen tag abend zusammen allerseits danke dir schön vielen dank ok okay klar alles
        passt genau stimmt einverstanden gut super toll prima ja nein jo haha hehe tschüss bis später dann bitte
        entschuldigung sorry ach oh hm gerne gern""",
    abbreviations="z.b bzw usw ca evtl ggf inkl exkl mind max min bspw vgl nr str dr u.a d.h",
    empty="""der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren sein wird werden wurde
        wurden worden kann können darf dürfen muss müssen soll sollen sollte sollten hat haben hatte man wir ihr sie er es
        ich du uns euch dass auch nur noch schon dann so wie zu zum zur im am an auf aus bei mit nach von vom für über
        unter in ins um durch sich jede jeder jedes jeden alle allen immer bitte beim als bis ab mehr""",
    negations="nein nicht kein keine keinen keinem keiner keines nie niemals niemand nichts weder noch ohne",
    without="nicht mehr, anstatt, anstelle von, statt, darf nicht, dürfen nicht, muss nicht",
    at_most="höchstens, maximal, bis zu, nicht mehr als, nicht länger als, innerhalb von, innerhalb, binnen, max, limitiert auf",
    at_least="mindestens, wenigstens, nicht weniger als, minimal, zumindest, oder mehr",
    less="weniger als, unter, unterhalb von, kürzer als, kleiner als, schneller als",
    more="mehr als, über, länger als, größer als, oberhalb von",
    units="""
        second 0.001 millisekunde millisekunden
        second 1 sek sekunde sekunden
        second 60 minute minuten minütig
        second 3600 std stunde stunden stündlich
        second 86400 tag tage tagen täglich
        second 604800 woche wochen wöchentlich
        month 1 monat monate monaten monatlich
        month 3 quartal quartale quartalen
        month 12 jahr jahre jahren jährlich
        share 1 prozent
        byte 1000000 megabyte
        byte 1000000000 gigabyte
        pound 1 pfund
    """,
    halves="eine halbe, einer halben, ein halbes, einem halben, halbe, halben",
    ones="ein eine einen einem einer eins",
    months=(
        "januar jänner",
        "februar",
        "märz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober okt",
        "november",
        "dezember dez",
    ),
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag sonnabend", "sonntag"),
    until="bis, bis zum, vor, spätestens",
    since="ab, nach, seit, frühestens, nicht vor",
    before="vor",
    month_leads="im in bis ab seit für",
    month_parts="mitte, anfang, ende",
    date_links="den dem letzten letztem diesem",
    opposites="""annehmen ablehnen, angenommen abgelehnt, erlaubt verboten, erlauben verbieten, öffentlich privat,
        sichtbar unsichtbar, sichtbar verborgen, sichtbar versteckt, anzeigen verbergen, an aus, aktiv inaktiv, aktiviert
        deaktiviert, aktivieren deaktivieren, behalten löschen, aufbewahren löschen, aufbewahrt gelöscht, bleiben gelöscht,
        öffnen schließen, offen geschlossen, pflicht optional, pflicht freiwillig, pflichtfeld optional, verpflichtend
        freiwillig, verpflichtend optional, erforderlich optional, immer nie, jeder niemand, alle niemand, vor nach,
        verschlüsselt unverschlüsselt, verschlüsselt klartext, online offline, aufsteigend absteigend, manuell
        automatisch, gesperrt entsperrt, hinzufügen entfernen, freigeben sperren, kostenlos kostenpflichtig,
        intern extern, möglich unmöglich, erster letzter, vorne hinten""",
    synonyms="""löschen entfernen, löschung entfernung, anzeigen zeigen, nutzer benutzer anwender kunde, e-mail mail email,
        erlaubt zulässig gestattet, verboten unzulässig untersagt, pflicht verpflichtend erforderlich obligatorisch,
        aufbewahren speichern behalten, ablehnen zurückweisen verweigern, abgelehnt zurückgewiesen verweigert,
        sitzung session, ablaufen enden auslaufen, senden schicken verschicken versenden, datei dokument,
        beginnen starten anfangen, beenden abschließen""",
    limits="höchstens maximal mindestens wenigstens innerhalb binnen limit grenze dauert dauern beträgt endet enden kostet",
    scopes="wenn falls sofern während für bei außer sobald",
    refusals="abgelehnt ablehnen verboten verweigert gesperrt untersagt zurückgewiesen",
    only="nur ausschließlich",
    rates="stündlich:stunde täglich:tag wöchentlich:woche monatlich:monat jährlich:jahr",
    hedges="""wenn falls ob vielleicht könnte könnten sollte sollten würde würden vermutlich wahrscheinlich
        angenommen vorschlag empfehle glaube denke bitte""",
    decided="entschieden, entscheidung, beschlossen, geeinigt, endgültig, wir bleiben bei, wir nehmen",
    reasons="weil, damit, denn, wegen, aufgrund, der grund",
    agrees="ja, genau, einverstanden, passt, mach das, gerne, perfekt, stimmt, in ordnung, so machen wir",
    ours="ich wir uns unser unsere",
    others="sie er ihr man",
    pending="werden wird wirst muss müssen müsste soll sollen will wollen fast beinahe halb teilweise bald morgen",
    done="erledigt fertig abgeschlossen ausgeliefert geschlossen verschickt abgeschickt bezahlt",
    moved="verschoben verschieben verschiebt vertagt vertagen",
    given_up="zurückgestellt, pausiert, gestrichen, abgesagt, eingestellt, auf eis, vom tisch, vorerst nicht",
    entries="neuer eintrag, neue aufgabe, aufgabe",
    tasks="aufgabe aufgaben ticket tickets",
    verdicts="fazit, ergebnis, ursache, befund, schlussfolgerung",
    cases="ohne außer sofern falls wenn vor nach",
    equals="ist sind lautet",
    numbered="version schritt phase abschnitt seite kapitel stufe teil",
    deeds="""hinzufügen erstellen schreiben prüfen erweitern verbessern umsetzen implementieren machen senden""",
    versions="überarbeitet überarbeiteter aktualisiert neu neuer endgültig",
    plans="""plan, pläne, projektplan, zeitplan, arbeitsplan, ablaufplan, schritt, schritte, phase, phasen, vorgehen, nächste
        schritte, aufgaben, ablauf""",
    roadmaps="roadmap, fahrplan, meilenstein, meilensteine, phase, phasen",
    analyses="""analyse, erkenntnisse, vergleich, ursache, bewertung, auswertung, untersuchung, befunde, interview,
        interviews""",
    frameworks="rahmenwerk, taxonomie, stufenmodell, modell, kriterien, matrix, grundsätze, prinzipien, klassifikation, leitfaden",
    asides="risiken, fragen, offene fragen, annahmen, optionen, alternativen, einrichtung, ergebnisse, änderungen, warum",
    wanted="empfehlung, empfehlungen, nächste schritte, maßnahmen",
    steps="schritt, schritte, schritten, phase, phasen, meilenstein, meilensteine, meilensteinen",
    past="hat haben habt",
    today="heute",
    yesterday="gestern",
    this_week="diese woche, in dieser woche",
    last_week="letzte woche, in der letzten woche, vorige woche",
    this_month="diesen monat, in diesem monat",
    last_month="letzten monat, im letzten monat",
)
