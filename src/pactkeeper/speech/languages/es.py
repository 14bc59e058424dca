"""Spanish."""

from __future__ import annotations

from typing import Final

from pactkeeper.speech.languages.table import Language

TABLE: Final = Language(
    code="es",
    stemmer="spanish",
    labels={
        "epic_id": "épica, epica, epic",
        "title": "título, titulo, título del ticket, asunto",
        "problem": "problema, el problema, contexto, motivo, por qué, descripción del problema, comportamiento actual",
        "proposed_solution": "solución, solucion, solución propuesta, propuesta, idea, enfoque",
        "acceptance_criteria": """criterios de aceptación, criterio de aceptación, criterios, criterio, requisitos,
            requisito, listo cuando, comportamiento esperado, esperado""",
        "constraints": "restricciones, restricción, limitaciones, limitación, límites, límite",
        "open_questions": "preguntas abiertas, pregunta abierta, preguntas, pregunta, dudas, por aclarar",
        "dependencies": "dependencias, dependencia, depende de, bloqueado por, requisitos previos",
        "risks": "riesgos, riesgo",
        "evidence_links": "enlaces, enlace, evidencias, ver, ver también, referencias",
    },
    other_labels="descripción, entorno, pasos, pasos para reproducir, alternativas, notas, nota, observaciones",
    casual="""pregunta, preguntas, dudas, ver, ver también, enlace, enlaces, idea, enfoque, motivo, por qué, contexto,
        asunto, esperado, límite, límites, cambio, nuevo, nueva, actualización, actualizado""",
    corrections="corrección, corregido, corregida, actualización, cambio, nuevo, nueva, actualizado",
    removals="quitar, eliminar, borrar, ya no",
    given="dado, dada, dados, dadas, dado que",
    when="cuando",
    then="entonces",
    also="y, pero",
    scenarios="escenario, esquema del escenario, característica, antecedentes, ejemplo, ejemplos",
    not_known="""no sé, no lo sé, no sabemos, no lo sabemos, no sé todavía, no lo sabemos todavía, ni idea, no tengo idea,
        desconocido, por definir, no estoy seguro, no estoy segura""",
    nothing="ninguno, ninguna, nada, no aplica",
    both="ambos, ambas, los dos, las dos",
    first="a, primero, primera, el primero, la primera",
    second="b, segundo, segunda, el segundo, la segunda",
    keep="nos quedamos con, dejemos, mantener, quedamos con, mejor",
    small_talk="""hola buenas buenos días tardes noches gracias muchas ok vale perfecto genial claro de acuerdo sí no jaja jajaja
        hasta luego adiós todos equipo perdón lo siento bien""",
    abbreviations="p.ej etc aprox máx mín sr sra núm",
    empty="""el la los las un una unos unas de del al y o pero es son era ser será serán está están ha han haber puede pueden
        debe deben debería hay que se lo le les me te nos su sus este esta estos estas en por para con a ante desde hasta
        sobre siempre también ya cada todo todos toda todas como si más muy después antes""",
    negations="no nunca jamás ningún ninguno ninguna nada nadie ni sin",
    without="ya no, no debe, no deben, no puede, no pueden, en lugar de, en vez de",
    at_most="como máximo, máximo, hasta, no más de, a lo sumo, limitado a, máx",
    at_least="al menos, por lo menos, como mínimo, mínimo, no menos de, o más, mín",
    less="menos de, inferior a, por debajo de",
    more="más de, superior a, por encima de",
    units="""
        second 0.001 milisegundo milisegundos
        second 1 seg segundo segundos
        second 60 minuto minutos
        second 3600 hora horas
        second 86400 día días dia dias
        second 604800 semana semanas
        month 1 mes meses
        month 3 trimestre trimestres
        month 12 año años
        share 1 porciento
        pound 1 libra libras
    """,
    halves="media, medio",
    ones="un una uno",
    months=(
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre setiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
    weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    until="antes del, antes de, hasta",
    since="después del, desde, a partir del",
    before="antes del, antes de",
    month_leads="en de para",
    month_parts="principios de, mediados de, finales de",
    date_links="el de",
    opposites="""aceptado rechazado, aceptar rechazar, permitido prohibido, permitir prohibir, público privado,
        visible oculto, visible invisible, obligatorio opcional, abrir cerrar, abierto cerrado, activado desactivado,
        activar desactivar, conservar eliminar, conservar borrar, guardar borrar, siempre nunca, antes después,
        cifrado descifrado, ascendente descendente, automático manual, gratis pago, mostrar ocultar, añadir quitar,
        interno externo, posible imposible""",
    synonyms="""eliminar borrar suprimir, mostrar enseñar, usuario cliente, correo email e-mail mail, conservar guardar
        mantener, rechazar denegar, permitir autorizar, obligatorio requerido, enviar mandar, empezar comenzar,
        terminar acabar finalizar, archivo fichero documento, sesión session""",
    limits="máximo mínimo límite más menos dura duran tarda caduca caducan cuesta",
    scopes="si cuando mientras durante para salvo excepto",
    refusals="rechazado rechazados rechazada rechazar denegado prohibido prohibida bloqueado",
    only="solo sólo solamente únicamente",
    rates="diario:día diariamente:día semanal:semana semanalmente:semana mensual:mes mensualmente:mes anual:año",
    hedges="si quizá quizás podría podríamos debería deberíamos supongamos propongo recomiendo creo",
    decided="decidido, decidimos, decisión, acordado, elegido, elegimos, nos quedamos con, vamos con",
    reasons="porque, ya que, puesto que, debido a, para que, dado que",
    agrees="sí, si, de acuerdo, perfecto, exacto, adelante, hazlo, vale, correcto",
    ours="yo nosotros hemos he decidimos elegimos nos vamos nuestro",
    others="ellos ellas él ella tú usted quien",
    pending="ser estar será serán debe deben quiere casi medio pronto mañana",
    done="terminado terminada hecho hecha listo lista entregado entregada cerrado cerrada enviado enviada",
    moved="aplazado aplazada pospuesto pospuesta aplaza aplazamos aplazar posponer retrasado retrasada",
    given_up="""cancelado, cancelada, descartado, descartada, pausado, pausada, suspendido, suspendida, en pausa,
        fuera de alcance""",
    entries="nueva entrada, nueva tarea",
    tasks="tarea tareas ticket tickets",
    verdicts="conclusión, veredicto, causa raíz, causa, hallazgo",
    cases="sin salvo excepto que antes después",
    equals="es son",
    numbered="versión paso fase sección página capítulo nivel parte",
    deeds="""añadir crear escribir revisar enviar hacer""",
    versions="revisado nuevo nueva actualizado definitivo",
    plans="plan, paso, pasos, fase, fases, próximos pasos, etapa, etapas, tareas",
    roadmaps="hoja de ruta, hito, hitos, fase, fases",
    analyses="""análisis, hallazgos, comparación, causa raíz, evaluación, conclusiones, auditoría, entrevista,
        entrevistas""",
    frameworks="marco, taxonomía, modelo, criterios, matriz, principios, niveles, clasificación",
    asides="riesgos, preguntas, supuestos, opciones, alternativas, instalación, resultados, cambios, por qué",
    wanted="recomendación, recomendaciones, próximos pasos",
    steps="paso, pasos, fase, fases, hito, hitos",
    past="hizo hicieron",
    today="hoy",
    yesterday="ayer",
    this_week="esta semana",
    last_week="la semana pasada",
    this_month="este mes",
    last_month="el mes pasado",
)
